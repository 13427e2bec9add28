"""Find the bug: a chat window that shows half characters."""

from exercises.engine.exercise import Exercise


def cases(draw):
    yield [[104, 105], [33]]
    yield [[195], [169]]
    yield cut("é", [1])
    yield cut("ab⚓", [2, 3, 4])
    yield cut("a⚓b", [2, 3])  # a letter and a third of an anchor, a third, the rest
    yield cut("café", [2, 4])
    yield cut("éé", [1, 3])
    yield cut("🌊!", [1, 2, 3, 4])
    yield cut("⚓⚓ ahoy", [1, 2, 5, 7])
    yield cut("naïve 海", [2, 3, 4, 6, 7, 8])
    yield cut("�é", [3, 4])  # the sign itself is a character like any other
    text = "".join(draw.choice(list("abé⚓海🌊 "), size=12))
    length = len(text.encode())
    yield cut(text, sorted({int(p) for p in draw.integers(1, length, size=8)}))


def cut(text, places):
    """Return the bytes of a text, cut at these places, as lists of integers."""
    data = list(text.encode())
    ends = zip([0, *places], [*places, len(data)], strict=True)
    return [data[start:end] for start, end in ends]


def reference(tokens):
    shown, data = [], b""
    for token in tokens:
        data += bytes(token)
        whole = len(data)
        while whole:  # drop bytes from the end until the rest is text
            try:
                data[:whole].decode()
                break
            except UnicodeDecodeError:
                whole -= 1
        shown.append(data[:whole].decode())
        data = data[whole:]
    return shown


EXERCISE = Exercise(
    title="Half a character",
    kind="find the bug",
    difficulty=2,
    minutes=15,
    prompt="""
A chat program shows a model's answer token by token, while the model writes it. English
answers look right, but users report that accented letters and emoji appear as `�`. Find
out why, and repair `stream` so that it does what its docstring says.
""",
    bug="Each token is still decoded by itself",
    solution='''
def stream(tokens):
    """Return the text to show after each token, as a list.

    tokens: lists of bytes (integers from 0 to 255); all
    of them together are valid UTF-8. A character is shown
    as soon as its last byte has come, and only once.
    A token that completes no character adds "".
    """
    shown, before = [], ""
    for end in range(1, len(tokens) + 1):
        data = bytes(sum(tokens[:end], []))
        text = data.decode("utf-8", errors="ignore")
        shown.append(text[len(before) :])
        before = text
    return shown
''',
    why="""
A byte-level token is not text: it may end in the middle of a character. Only the bytes
of all tokens so far can be decoded, and an unfinished character at their end must wait.
`errors="ignore"` leaves it out here. What is new after a token is what the text has
gained. Python's `codecs.getincrementaldecoder("utf-8")()` does the same without
starting over for each token.
""",
    hints=(
        "Try `stream([[195], [169]])`. Together the two bytes are é.",
        "Decode the bytes of all the tokens so far, instead of each token's own.",
        'With `errors="ignore"`, an unfinished character at the end is left out. What '
        "is new is what comes after the text you had before.",
    ),
    mistakes="""
Each token is still decoded by itself. Which bytes does a character need if it is cut in
two?
-     shown, before = [], ""
-     for end in range(1, len(tokens) + 1):
-         data = bytes(sum(tokens[:end], []))
-         text = data.decode("utf-8", errors="ignore")
-         shown.append(text[len(before) :])
-         before = text
-     return shown
+     shown = []
+     for token in tokens:
+         text = bytes(token).decode("utf-8", errors="replace")
+         shown.append(text)
+     return shown

The � are gone, and so are the characters: each token is still decoded by itself.
+ def stream(tokens):
+     shown = []
+     for token in tokens:
+         text = bytes(token).decode("utf-8", errors="ignore")
+         shown.append(text)
+     return shown

You show the whole text again after each token. Only what is new is asked for.
- text[len(before) :]
+ text

You decode all bytes so far, but an unfinished character at the end becomes �, and is
not replaced when it is complete.
- errors="ignore"
+ errors="replace"

An unfinished character is held back, but the finished ones before it in the same token
are too. Show those at once.
-         data = bytes(sum(tokens[:end], []))
-         text = data.decode("utf-8", errors="ignore")
+         data = bytes(sum(tokens[:end], []))
+         try:
+             text = data.decode("utf-8")
+         except UnicodeDecodeError:
+             text = before

You take off every � at the end, also one that is a real character.
- data.decode("utf-8", errors="ignore")
+ data.decode("utf-8", errors="replace").rstrip("�")

You wait for one more token only. A character may be cut into four.
+ def stream(tokens):
+     shown, waiting = [], []
+     for token in tokens:
+         try:
+             shown.append(bytes(waiting + token).decode("utf-8"))
+             waiting = []
+         except UnicodeDecodeError:
+             shown.append("")
+             waiting = token
+     return shown

You decode each token together with the one before. A character may be cut into four.
+ def stream(tokens):
+     shown, before = [], []
+     for token in tokens:
+         text = bytes(before + token).decode("utf-8", errors="ignore")
+         known = bytes(before).decode("utf-8", errors="ignore")
+         shown.append(text[len(known) :])
+         before = token
+     return shown

The bytes that were held back are never dropped: characters are shown twice.
+ def stream(tokens):
+     shown, waiting = [], []
+     for token in tokens:
+         waiting = waiting + token
+         try:
+             shown.append(bytes(waiting).decode("utf-8"))
+         except UnicodeDecodeError:
+             shown.append("")
+     return shown

Tokens that finish no character are missing from your list. They are shown as an empty
string.
- return shown
+ return [text for text in shown if text]

All of the text appears at the end. A stream shows each character as soon as it is
complete.
- return shown
+ return [""] * (len(tokens) - 1) + ["".join(shown)]

You return one string. A list with a string for each token is asked for.
- return shown
+ return "".join(shown)

Each byte becomes a character of its own. In UTF-8 a character takes up to four bytes.
+ def stream(tokens):
+     return ["".join(map(chr, token)) for token in tokens]

You show bytes that are not a character yet as Latin-1.
+ def stream(tokens):
+     shown = []
+     for token in tokens:
+         try:
+             shown.append(bytes(token).decode("utf-8"))
+         except UnicodeDecodeError:
+             shown.append(bytes(token).decode("latin-1"))
+     return shown

You show a character at its first byte, but it is known only when its last byte has
arrived.
+ def stream(tokens):
+     data, shown = sum(tokens, []), []
+     for token in tokens:
+         starts = [i for i in range(len(token)) if token[i] // 64 != 2]
+         text = bytes(data).decode("utf-8")
+         shown.append(text[: len(starts)])
+         data = list(text[len(starts) :].encode("utf-8"))
+     return shown

You place each token's text one token late.
-     shown, before = [], ""
-     for end in range(1, len(tokens) + 1):
+     shown, before = [], ""
+     for end in range(len(tokens)):

The tokens that are not text by themselves are skipped with an empty string, and their
characters never appear.
+ def stream(tokens):
+     shown = []
+     for token in tokens:
+         try:
+             shown.append(bytes(token).decode("utf-8"))
+         except UnicodeDecodeError:
+             shown.append("")
+     return shown

You return a list of characters. A list with a string for each token is asked for.
- return shown
+ return list("".join(shown))

Nothing is added to your list while a character is unfinished. It has an entry for each
token.
+ def stream(tokens):
+     shown, waiting = [], []
+     for token in tokens:
+         waiting = waiting + token
+         try:
+             shown.append(bytes(waiting).decode("utf-8"))
+             waiting = []
+         except UnicodeDecodeError:
+             pass
+     return shown

You forget the bytes of an unfinished character if finished ones come before it.
+ def stream(tokens):
+     shown, waiting = [], []
+     for token in tokens:
+         waiting = waiting + token
+         text = bytes(waiting).decode("utf-8", errors="ignore")
+         shown.append(text)
+         if text:
+             waiting = []
+     return shown

You hold back everything while the text ends with �. That keeps finished characters
back, and a � that is a real character too.
+ def stream(tokens):
+     shown, waiting = [], []
+     for token in tokens:
+         waiting = waiting + token
+         text = bytes(waiting).decode("utf-8", errors="replace")
+         if text.endswith("�"):
+             shown.append("")
+         else:
+             shown.append(text)
+             waiting = []
+     return shown

You take each � out of what is new, but the character that it stands for never appears.
Decode the bytes of all tokens so far, and leave out the unfinished end.
- errors="ignore"
+ errors="replace"
- text[len(before) :]
+ text[len(before) :].replace("�", "")

You drop all bytes from 128 on, and with them every character outside ASCII.
+ def stream(tokens):
+     return [bytes(token).decode("ascii", errors="ignore") for token in tokens]

You show � while a character is unfinished. Show nothing until its last byte has come.
+ def stream(tokens):
+     shown, waiting = [], []
+     for token in tokens:
+         waiting = waiting + token
+         try:
+             shown.append(bytes(waiting).decode("utf-8"))
+             waiting = []
+         except UnicodeDecodeError:
+             shown.append("�")
+     return shown

Each token is decoded by itself, and the whole text so far is shown again each time.
+ def stream(tokens):
+     shown, text = [], ""
+     for token in tokens:
+         text += bytes(token).decode("utf-8", errors="ignore")
+         shown.append(text)
+     return shown

You hold back everything while a � is in the text. That keeps finished characters back,
and a � that is a real character too.
+ def stream(tokens):
+     shown, waiting = [], []
+     for token in tokens:
+         waiting = waiting + token
+         text = bytes(waiting).decode("utf-8", errors="replace")
+         if "�" in text:
+             shown.append("")
+         else:
+             shown.append(text)
+             waiting = []
+     return shown

You delete every � from the text so far, also one that is a real character.
- data.decode("utf-8", errors="ignore")
+ data.decode("utf-8", errors="replace").replace("�", "")

You count in bytes what was shown, and cut a text of characters there.
- before = text
+ before = data
""",
    reference=reference,
    cases=cases,
)
