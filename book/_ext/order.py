"""The way of a cell from the notebook to the page: who changes it, in which order.

myst-nb makes a container of each cell. Then, as each step relies on those before it:

1. `numbered`: a caption moves into the cell before it, while every cell still stands
   where it was written. (The numbers of equations and `tables` touch no cell.)
2. `answer_boxes`: a box goes after each check, which is folded. It would part a pair if
   it came later, and it needs the check's own place.
3. `folded`: set-up cells and imports are marked to be folded; `side_by_side`: cells
   that are still neighbours become a pair. A cell is one or the other, never both.
4. myst-nb chooses, for HTML, among the formats of each output, and folds cells.
5. `frames` and `pictures`: views and pictures, known only now, get files and words.
6. `mathml`: formulas take in the marks around them; after it, `unbroken`, which reads
   only the text that is left.

Next `cross_links` and `glossary` link what the text names, and the page is written.
`no_script` and `published` add to it, then `light` leaves out what it does not need.
When all pages are written, `glyphs` cuts the fonts down to what they show, and
`answer_boxes`, `frames`, `live`, `published` and `search` write their files. Then
`light` goes over all style sheets, and last `offline` reads what the build wrote.
"""

# Sphinx runs transforms by these numbers, from the lowest; those that share one may
# run in any order.
NUMBERED = 140
ANSWER_BOXES = 149
CELLS = 150
# Transforms after all pages are read, with numbers of their own; myst-nb's is 4.
OUTPUTS = 5
# After Sphinx has found where links lead (10).
LIVE = 20
FORMULAS = 900
UNBROKEN = 950
# Of the events, where the stock extensions have 500.
LIGHT = 900
OFFLINE = 950
