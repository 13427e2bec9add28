"""Copy WordNet's definitions on eight topics to `readymade/data/pretraining`.

    apt-get install wordnet-base
    python tools/definitions.py /usr/share/wordnet/data.noun

Of each definition, the first clauses are kept, 5 to 18 words without examples; of each
topic, at most 3,000 definitions. The last 2,000 lines are held out.
"""

import gzip
import random
import sys
from collections import defaultdict
from pathlib import Path

from readymade.data.labelled_definitions import FILE, TOPICS

# The names and numbers of WordNet's lexicographer files (lexnames(5WN)).
NUMBERS = dict(zip("05 06 08 13 15 18 20 27".split(), TOPICS, strict=True))
MOST = 3_000


def shorten(gloss):
    """Return the first clauses of a gloss, of at most 18 words, without examples."""
    kept = []
    for clause in gloss.strip().split('; "')[0].split(";"):
        if len(" ".join([*kept, clause]).split()) > 18:
            break
        kept.append(clause.strip())
    return "; ".join(kept)


def main(source):
    of_topic, seen = defaultdict(list), set()
    for line in Path(source).read_text(encoding="utf-8").splitlines():
        # The licence at the top is indented.
        if line.startswith(" ") or line.split()[1] not in NUMBERS:
            continue
        definition = shorten(line.partition(" | ")[2])
        if definition not in seen and len(definition.split()) >= 5:
            seen.add(definition)
            of_topic[NUMBERS[line.split()[1]]].append(definition)
    generator = random.Random(0)
    rows = []
    for topic in TOPICS:
        known = of_topic[topic]
        chosen = generator.sample(known, min(MOST, len(known)))
        rows += [f"{topic}\t{definition}\n" for definition in chosen]
        print(f"{topic:10} {len(chosen):5,} of {len(known):6,}")
    generator.shuffle(rows)
    with open(FILE, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write("".join(rows).encode())
    print(f"{len(rows):,} definitions, {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1])
