"""How a cell gets from the notebook to the page: who changes it, in which order.

myst-nb makes a container of each cell. Each of the next steps relies on those before:

1. `numbered` moves a caption into the cell before it, while every cell is still where
   it was written. (The numbers of equations and `tables` touch no cell.)
2. `answer_boxes` puts a box after each check, and folds the check, or replaces it if
   it is that of a question. Later, the box would separate a pair, and the check would
   no longer be where it was.
3. `folded` marks set-up cells and imports to be folded, and `side_by_side` pairs cells
   that are still neighbours. No cell is both.
4. myst-nb chooses, for HTML, among the formats of each output, and folds cells.
5. `frames` and `pictures` move views and pictures, known only now, into files.
6. `mathml` takes the punctuation around formulas into them, and after it `unbroken`
   reads the text that is left. Before both, `live` adds the models of chapters.

Next `cross_links` and `glossary` link what the text names, and the page is written;
beside it, `slides` and `sheets` write what a class takes of it.
`no_script` and `site_metadata` add to it, then `page_weight` leaves out the scripts and
styles that it does not need. When all pages are written, `glyphs` cuts the fonts down
to what they show, and `answer_boxes`, `frames`, `live_files`, `site_metadata` and
`search` write their files. Then `page_weight` goes over all style sheets, and last
`offline` reads what the build wrote.
"""

# Sphinx runs transforms in the order of these numbers; those that share one may run in
# any order.
NUMBERED = 140
ANSWER_BOXES = 149
CELLS = 150
# Transforms that run when all pages have been read; myst-nb's has number 4.
OUTPUTS = 5
# After Sphinx has resolved links (10).
LIVE = 20
FORMULAS = 900
UNBROKEN = 950
# Handlers of events; the stock extensions' have priority 500.
PAGE_WEIGHT = 900
OFFLINE = 950
