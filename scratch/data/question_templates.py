"""Questions with their answers, made from templates: texts to learn extraction on.

A family of templates is a list of sentences with slots, each with questions about it.
A text tells about one invented thing: one sentence of each kind, in their order. The
answer to a question is a part of one sentence, several words long more often than not.

Source: the templates were written for this book, under the licence of its text
(CC BY 4.0). No person, town or firm in them exists.
"""

import random
from itertools import cycle
from typing import NamedTuple

from scratch.arguments import require_at_least


class Question(NamedTuple):
    """A question about a text, and its answer.

    Args:
        question: what is asked.
        text: where the answer is found; or, if `answer` is "", is not.
        answer: `text[start : start + len(answer)]`.
        start: where the answer begins, in characters.
    """

    question: str
    text: str
    answer: str
    start: int


# Of these, too, a quarter is only used in tests.
SYLLABLES = """
    bar ben bor cal car dal dan dor el fal far fen gal gar hal har hol kal kel ker lan
    lor mal mar mel mor nar nel nor or pel per ral rin ros sal sel sor tal tar tor ul
    val var ver wal wen wil yar
""".split()
# {slot: what may fill it}; a quarter of each list is only ever used in tests.
SLOTS = {
    "material": """red brick|grey stone|dark oak|white marble|rusty iron|thin glass|
        rough granite|pale sandstone|baked clay|recycled steel|woven bamboo|black slate|
        painted wood|poured concrete|blue tile|dried mud""",
    "crop": """early potatoes|sweet onions|winter wheat|sugar beet|red cabbage|green
        lentils|wild rice|black olives|white grapes|sour cherries|dried beans|yellow
        maize|oats and barley|hazelnuts|tea leaves|strawberries""",
    "trade": """bookbinder|clock maker|retired teacher|ship's doctor|young engineer|rich
        merchant|village priest|glass blower|farmer's daughter|army officer|printer|
        botanist|stone mason|amateur astronomer|tailor|nurse""",
    "reason": """the old harbour had filled with sand|the rent had doubled in a year|too
        few visitors came in winter|a fire had destroyed the roof|the river flooded the
        cellar every spring|nobody could repair the machines|the founder fell ill|the
        new railway passed it by|a war broke out in the north|the money had run out|
        the neighbours complained about the noise|the ground began to sink|the licence
        was not renewed|larger rivals sold at half the price|the water had become too
        salty|the staff went on strike""",
    "purpose": """to store grain for the winter|to teach poor children to read|to measure
        the height of the tide|to warn ships of the rocks|to carry water to the fields|
        to print cheap newspapers|to keep the snow off the road|to grow plants from hot
        countries|to train young musicians|to protect the town from pirates|to heat the
        public baths|to sort letters more quickly|to feed travellers on their way|to
        watch for forest fires|to study the weather|to cool fresh milk""",
    "animal": """grey herons|wild goats|brown bears|sea otters|fire ants|barn owls|river
        dolphins|spotted frogs|black swans|mountain hares|fruit bats|horned beetles|
        leaf snakes|long-eared foxes|marsh turtles|red squirrels""",
    "food": """small fish and crabs|the bark of young trees|fallen fruit|the eggs of other
        birds|grass and wild herbs|insects under loose stones|dead wood|fresh leaves|
        nectar from night flowers|seeds and dry berries|snails and worms|roots and bulbs|
        plankton|mushrooms|mice and voles|honey""",
    "place": """under the roots of trees|in hollow trunks|on steep cliffs|along slow
        rivers|in dry caves|near the snow line|in tall reeds|behind waterfalls|in
        abandoned barns|on small islands|at the edge of the desert|between large stones|
        deep in the forest|in muddy ponds|on flat roofs|beside salt lakes""",
    "time": """at dawn|after the first rain|in late autumn|during the night|before the
        snow melts|in the hottest weeks of summer|at low tide|every second year|on cold
        mornings|shortly after sunset|early in spring|in the dry season|around midnight|
        once a month|at harvest time|in the afternoon""",
    "thing": """a silver compass|three clay jars|an unfinished letter|a box of old coins|
        a map of the coast|two broken swords|a leather diary|a painted mask|a set of
        brass weights|a bag of seeds|a child's shoe|a stone with strange signs|a bronze
        bell|a glass bead|an ivory comb|a rusted key""",
    "ingredient": """ground almonds|sour cream|chopped parsley|brown sugar|fresh ginger|
        white beans|smoked bacon|grated lemon peel|rye flour|melted butter|dried plums|
        goat's cheese|red wine|crushed garlic|warm milk|toasted sesame""",
    "dish": """barley soup|plum cake|fish stew|onion tart|bean salad|lamb pie|rye bread|
        cherry pudding|potato dumplings|cheese rolls|walnut biscuits|pumpkin curry|
        chicken broth|apple pancakes|pepper sauce|cabbage rolls""",
    "device": """pocket radio|steam pump|folding bicycle|wind turbine|solar oven|paper
        press|water filter|electric plough|sewing machine|hand drill|weather balloon|
        mine lamp|rope lift|ice maker|seed counter|tide clock""",
    "part": """a copper coil|two rubber belts|a wooden wheel|a thin steel spring|a row of
        magnets|a glass tube|a small battery|an oil tank|a pair of gears|a canvas sail|a
        brass valve|three mirrors|a hollow needle|a chain of buckets|a clay pipe|a lens""",
    "sport": """rowing|chess|fencing|long-distance running|table tennis|ski jumping|
        archery|sailing|mountain climbing|speed skating|swimming|judo|cycling|handball|
        figure skating|weight lifting""",
    "art": """short stories|piano music|large oil paintings|songs for children|plays about
        sailors|bronze figures|love poems|portraits of workers|detective novels|comic
        operas|wood carvings|travel books|film music|pencil drawings|fairy tales|ballads""",
    "illness": """a high fever|sore eyes|a dry cough|swollen hands|weak muscles|a painful
        rash|loss of memory|headaches at night|stiff joints|pale skin|a ringing in the
        ears|sudden tiredness|cold feet|a lost sense of smell|stomach cramps|dizziness""",
    "adjective": """narrow|ancient|famous|quiet|large|remote|wealthy|modern|green|steep|
        cheerful|windy|dusty|forgotten|crowded|small""",
}
FAMILIES = {
    "museum": [
        (
            "The {town} Museum was founded in {year} by {person}, a {trade}.",
            {
                "When was the museum in {town} founded?": "{year}",
                "Who founded the museum?": "{person}",
                "What was the profession of {person}?": "{trade}",
            },
        ),
        (
            "At first it stood in {town2}, but it was moved because {reason}.",
            {
                "In which town did the museum stand at first?": "{town2}",
                "Why was the museum moved?": "{reason}",
            },
        ),
        (
            "Its oldest piece is {thing}, which {person2} found {place} in {year2}.",
            {
                "What is the oldest piece in the collection?": "{thing}",
                "Where did {person2} find it?": "{place}",
                "Who discovered the oldest piece?": "{person2}",
            },
        ),
        (
            "Today the house of {material} has {number} rooms and is visited by about "
            "{thousand} people a year.",
            {
                "What is the house made of?": "{material}",
                "How many rooms does the building have?": "{number}",
                "How many people visit it each year?": "about {thousand}",
            },
        ),
    ],
    "animal": [
        (
            "Most {animal} of the {town} valley live {place}, where they are safe from "
            "{animal2}.",
            {
                "Where do {animal} live?": "{place}",
                "From which animals are they safe?": "{animal2}",
            },
        ),
        (
            "They feed on {food}, but when food is short they also eat {food2}.",
            {
                "What do they normally eat?": "{food}",
                "What do the animals eat when there is little food?": "{food2}",
            },
        ),
        (
            "The females give birth {time} and look after their young for {number} "
            "weeks.",
            {
                "When are the young born?": "{time}",
                "How long do the mothers care for their young?": "{number} weeks",
            },
        ),
        (
            "In {year}, {person} of the University of {town2} counted {thousand} of "
            "them; their number has been falling since, mainly because {reason}.",
            {
                "Who counted the animals?": "{person}",
                "How many were counted in {year}?": "{thousand}",
                "Why is their number falling?": "{reason}",
                "Which university did the researcher work for?": "University of {town2}",
            },
        ),
    ],
    "biography": [
        (
            "{person} was born in {year} in {town}, the {ordinal} child of a {trade}.",
            {
                "Where was {person} born?": "{town}",
                "In what year was {surname} born?": "{year}",
                "What did {surname}'s father do for a living?": "{trade}",
            },
        ),
        (
            "After studying in {town2} under {person2}, {surname} became known for "
            "{art}.",
            {
                "Who taught {surname}?": "{person2}",
                "What was {surname} known for?": "{art}",
                "Where did {person} study?": "{town2}",
            },
        ),
        (
            "Friends remembered that {surname} worked only {time}, with {thing} on the "
            "table.",
            {
                "At what time did {surname} work?": "{time}",
                "What lay on the table?": "{thing}",
            },
        ),
        (
            "The last years were hard: {surname} suffered from {illness}, stopped "
            "working because {reason}, and died in {year2}.",
            {
                "What illness did {surname} suffer from?": "{illness}",
                "Why did {surname} stop working?": "{reason}",
                "When did {person} die?": "{year2}",
            },
        ),
    ],
    "town": [
        (
            "{town} is a {adjective} town on the river {town2}, about {number} "
            "kilometres from the coast.",
            {
                "On which river does {town} lie?": "{town2}",
                "How far is the town from the coast?": "about {number} kilometres",
            },
        ),
        (
            "For centuries its people lived by growing {crop}, which were sold in "
            "{town3}.",
            {
                "What did the people of {town} grow?": "{crop}",
                "Where were the crops sold?": "{town3}",
                "How did the inhabitants make their living?": "growing {crop}",
            },
        ),
        (
            "The bridge of {material} was built in {year} {purpose}; it was closed in "
            "{year2} because {reason}.",
            {
                "What is the bridge made of?": "{material}",
                "When was the bridge built?": "{year}",
                "What was the bridge built for?": "{purpose}",
                "Why was it closed?": "{reason}",
                "In which year did the bridge close?": "{year2}",
            },
        ),
        (
            "Of its {thousand} inhabitants, most now work for {firm}.",
            {
                "How many people live in {town}?": "{thousand}",
                "Which company do most inhabitants work for?": "{firm}",
            },
        ),
    ],
    "invention": [
        (
            "The {device} was invented by {person} {purpose}.",
            {
                "Who invented the {device}?": "{person}",
                "What was the {device} invented for?": "{purpose}",
            },
        ),
        (
            "Inside it, {part} turns {part2} until the pressure is high enough.",
            {
                "What turns {part2}?": "{part}",
                "What does {part} turn?": "{part2}",
            },
        ),
        (
            "The first model, made of {material}, weighed {number} kilograms and was "
            "shown in {town} in {year}.",
            {
                "What was the first model made of?": "{material}",
                "How heavy was the first model?": "{number} kilograms",
                "Where was it shown?": "{town}",
            },
        ),
        (
            "Although {firm} sold {thousand} of them, production ended {yearly} later "
            "because {reason}.",
            {
                "How many were sold?": "{thousand}",
                "Which firm sold the {device}?": "{firm}",
                "Why did production end?": "{reason}",
            },
        ),
    ],
    "recipe": [
        (
            "{dish_} comes from {town}, where it is eaten {time}.",
            {
                "Where does {dish} come from?": "{town}",
                "When do people eat it?": "{time}",
            },
        ),
        (
            "The cook mixes {ingredient} with {ingredient2} and lets the bowl rest for "
            "{number} minutes.",
            {
                "What is mixed with {ingredient2}?": "{ingredient}",
                "How long does the mixture rest?": "{number} minutes",
            },
        ),
        (
            "It is then baked in a pot of {material}, which keeps the heat better than "
            "{material2}.",
            {
                "What is the pot made of?": "{material}",
                "What keeps the heat less well?": "{material2}",
            },
        ),
        (
            "According to {person}, who wrote down the recipe in {year}, it should be "
            "served with {ingredient3}.",
            {
                "What should it be served with?": "{ingredient3}",
                "Who wrote down the recipe?": "{person}",
                "When was the recipe written down?": "{year}",
            },
        ),
    ],
    "expedition": [
        (
            "In {year}, {person} left {town} with {number} companions to look for "
            "{animal}.",
            {
                "Who led the expedition?": "{person}",
                "How many companions went along?": "{number}",
                "What were they looking for?": "{animal}",
                "Where did the journey begin?": "{town}",
            },
        ),
        (
            "They crossed the hills of {town2} on foot and camped {place}, where "
            "{person2} fell ill with {illness}.",
            {
                "Where did they camp?": "{place}",
                "Who became ill?": "{person2}",
                "How did they cross the hills?": "on foot",
                "What did {person2} suffer from?": "{illness}",
            },
        ),
        (
            "For {number2} days they had nothing to eat but {food}.",
            {
                "How long did they live on {food}?": "{number2} days",
                "What did they have to eat?": "{food}",
            },
        ),
        (
            "They came home {time} with {thing}, and the report by {surname2} appeared "
            "in {year2}.",
            {
                "What did they bring home?": "{thing}",
                "When did the report appear?": "{year2}",
                "Who wrote the report?": "{surname2}",
            },
        ),
    ],
    "firm": [
        (
            "{firm} began in {year} as a small workshop in {town}, where {person} made "
            "{part}.",
            {
                "What did {firm} begin as?": "a small workshop",
                "Where was the workshop?": "{town}",
                "When did the company begin?": "{year}",
            },
        ),
        (
            "Its first success was a {device} that worked even {time}.",
            {
                "What was the firm's first success?": "a {device}",
                "When did the {device} still work?": "{time}",
            },
        ),
        (
            "Under {person2}, who had been a {trade}, it grew to {thousand} workers and "
            "opened a second factory of {material} in {town2}.",
            {
                "Who made the company grow?": "{person2}",
                "How many people worked there?": "{thousand}",
                "Where was the second factory opened?": "{town2}",
                "What had {person2} been before?": "a {trade}",
            },
        ),
        (
            "The factory was sold to {firm2} for {number} million crowns after {reason}.",
            {
                "Who bought the factory?": "{firm2}",
                "How much did the buyer pay?": "{number} million crowns",
            },
        ),
    ],
    "plant": [
        (
            "The {town} lily is a {adjective2} plant that grows {place} and flowers "
            "{time}.",
            {
                "Where does the plant grow?": "{place}",
                "When does the lily flower?": "{time}",
            },
        ),
        (
            "Its leaves are eaten by {animal}, while its seeds are spread by {animal2}.",
            {
                "Which animals eat the leaves?": "{animal}",
                "What spreads the seeds?": "{animal2}",
            },
        ),
        (
            "In the past, a tea made from its roots and {ingredient} was given to people "
            "with {illness}.",
            {
                "What was the tea used against?": "{illness}",
                "Which part of the plant was used for tea?": "its roots",
                "What was added to the tea?": "{ingredient}",
            },
        ),
        (
            "The botanist {person} described it in {year} and named it after {person2}, "
            "who had paid for the journey.",
            {
                "Who described the plant first?": "{person}",
                "After whom was it named?": "{person2}",
                "Why was it named after {person2}?": "who had paid for the journey",
            },
        ),
    ],
    "athlete": [
        (
            "{person} took up {sport} at the age of {number}, after giving up {sport2}.",
            {
                "What sport did {person} take up?": "{sport}",
                "How old was {surname} at the start?": "{number}",
                "Which sport did {surname} give up?": "{sport2}",
            },
        ),
        (
            "At the games in {town} in {year}, {surname} beat {person2} and won the "
            "gold medal.",
            {
                "Where did {surname} win the gold medal?": "{town}",
                "Who lost against {surname}?": "{person2}",
                "What did {surname} win?": "the gold medal",
            },
        ),
        (
            "The training was unusual: {surname} ran {place} {time} and ate mostly "
            "{ingredient}.",
            {
                "Where did {surname} run?": "{place}",
                "What did {surname} mostly eat?": "{ingredient}",
            },
        ),
        (
            "Later {surname} became a {trade} in {town2} and wrote {art}.",
            {
                "What did {surname} become later?": "a {trade}",
                "What did {person} write?": "{art}",
            },
        ),
    ],
    "building": [
        (
            "The tower in {town} was designed by {person} and built of {material} "
            "between {year} and {year2}.",
            {
                "Who was the architect of the tower?": "{person}",
                "What material is the tower made of?": "{material}",
                "When was the tower built?": "between {year} and {year2}",
            },
        ),
        (
            "It is {number} metres high and was meant {purpose}.",
            {
                "How high is the tower?": "{number} metres",
                "What was the tower meant for?": "{purpose}",
            },
        ),
        (
            "During the works a {trade} found {thing} below the floor, which is now "
            "kept in {town2}.",
            {
                "What was found during the works?": "{thing}",
                "Where was it found?": "below the floor",
                "Where is the find kept today?": "{town2}",
                "Who found {thing}?": "a {trade}",
            },
        ),
        (
            "Since it was struck by lightning, only {animal} have lived there, because "
            "{reason}.",
            {
                "What struck the tower?": "lightning",
                "What lives in the tower now?": "{animal}",
            },
        ),
    ],
    "research": [
        (
            "Researchers in {town} asked why {animal} leave the valley {time}.",
            {
                "When do {animal} leave the valley?": "{time}",
                "Where did the researchers work?": "{town}",
            },
        ),
        (
            "A team led by {person} compared {number} groups, one of which was fed on "
            "{food} only.",
            {
                "Who led the team?": "{person}",
                "How many groups were compared?": "{number}",
                "What was one of the groups fed on?": "{food}",
            },
        ),
        (
            "The results, published in {year}, showed that the animals rest {place} "
            "and that {number2} percent of them never return.",
            {
                "When were the results published?": "{year}",
                "What share of the animals never returns?": "{number2} percent",
                "Where do the animals rest?": "{place}",
            },
        ),
        (
            "Critics such as {person2} replied that the true reason is simpler: "
            "{reason}.",
            {
                "Who criticised the study?": "{person2}",
                "What is the true reason, according to the critics?": "{reason}",
            },
        ),
    ],
}


def template_questions(
    count: int,
    seed: int = 0,
    held_out: bool = False,
    num_families: int = 12,
    one_word: bool = False,
    unanswerable: float = 0.0,
    sentences: int = 4,
) -> list[Question]:
    """Return questions about texts made from templates.

    Args:
        count: how many; each has a text of its own.
        seed: decides what fills the templates.
        held_out: whether names, places and things are those that no other call uses.
        num_families: how many of the 12 families of templates are used.
        one_word: whether to ask only what one word or number answers.
        unanswerable: the share of questions that are asked of another text, where
            their answer is not.
        sentences: of the four that a family has, how many a text has: the first, and
            others drawn for each text.

    Returns:
        A list of `Question`.
    """
    require_at_least("count", count, 1)
    require_at_least("sentences", sentences, 1)
    generator = random.Random(f"{seed} {held_out}")
    families = list(FAMILIES)[:num_families]
    found = []
    for family in cycle(families):
        if len(found) == count:
            break
        values = drawn_values(generator, held_out)
        made = made_text(generator, FAMILIES[family], values, sentences)
        if one_word:
            made = [question for question in made if " " not in question.answer]
        if not made:
            continue
        question = generator.choice(made)
        if generator.random() < unanswerable:
            others = [name for name in families if name != family]
            values = drawn_values(generator, held_out)
            other = FAMILIES[generator.choice(others)]
            text = made_text(generator, other, values, sentences)[0].text
            question = question._replace(text=text, answer="", start=0)
        found.append(question)
    generator.shuffle(found)
    return found


def drawn_values(generator, held_out):
    """Return {slot: text}, those with a number beside the slot without one."""
    values = {}
    for slot, options in SLOTS.items():
        options = [" ".join(option.split()) for option in options.split("|")]
        options = options[12:] if held_out else options[:12]
        for place, option in enumerate(generator.sample(options, 3)):
            values[f"{slot}{place + 1 if place else ''}"] = option
    tested = SYLLABLES[1::4]
    known = tested if held_out else [one for one in SYLLABLES if one not in tested]
    for suffix in ("", "2", "3"):
        first, last, town, river, firm = (
            "".join(generator.sample(known, generator.choice((1, 2, 2)))).capitalize()
            for _ in range(5)
        )
        values |= {
            f"surname{suffix}": last,
            f"person{suffix}": f"{first}a {last}",
            f"town{suffix}": f"{town} {river}" if generator.random() < 0.2 else town,
            f"firm{suffix}": f"{firm} and Sons" if generator.random() < 0.5 else firm,
            f"year{suffix}": str(generator.randint(1700, 1850)),
            f"number{suffix}": str(generator.randint(3, 90)),
            f"thousand{suffix}": f"{generator.randint(2_000, 90_000):,}",
        }
    values["year2"] = str(generator.randint(1851, 2000))
    values["yearly"] = generator.choice(["ten years", "a few months", "two decades"])
    values["ordinal"] = generator.choice(["first", "third", "fifth", "only"])
    values["dish_"] = values["dish"].capitalize()
    return values


def made_text(generator, family, values, sentences):
    """Return the questions about one text: some of a family's sentences, filled."""
    first, *others = family
    drawn = generator.sample(range(len(others)), min(sentences - 1, len(others)))
    text, places = "", []
    for sentence, questions in [first, *(others[place] for place in sorted(drawn))]:
        for question, wanted in questions.items():
            before = sentence[: sentence.index(wanted)].format(**values)
            places.append((question, wanted, len(text) + len(before)))
        text += sentence.format(**values) + " "
    text = text.rstrip()
    return [
        Question(question.format(**values), text, wanted.format(**values), start)
        for question, wanted, start in places
    ]
