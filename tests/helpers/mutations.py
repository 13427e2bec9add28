"""Change one token of a program, or swap two arguments, as a tired reader might."""

import ast
import io
import random
import tokenize

OPERATORS = {
    "+": "-", "-": "+", "*": "/", "/": "*", "//": "/", "%": "//", "**": "*", "@": "*",
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "&": "|", "|": "&", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=",
}  # fmt: skip
WORDS = {
    "True": "False", "False": "True", "and": "or", "or": "and", "not": "",
    "tril": "triu", "triu": "tril", "max": "min", "min": "max", "sum": "mean",
    "mean": "sum", "ones": "zeros", "zeros": "ones", "sin": "cos", "cos": "sin",
    "argmax": "argmin", "reduce_sum": "reduce_mean", "reduce_mean": "reduce_sum",
    "reduce_max": "reduce_min", "ones_like": "zeros_like", "zeros_like": "ones_like",
    "append": "insert", "sorted": "list", "log": "exp", "exp": "log",
}  # fmt: skip
# Lines that only name things: a change there would test Python, not the mathematics.
NAMING = ("def ", "class ", "import ", "from ", "@")


def mutants(program, most, seed):
    """Return at most `most` changed programs, as [(changed line, program)]."""
    changes = [*_token_changes(program), *_argument_swaps(program)]
    changes = list(dict.fromkeys(changes))
    random.Random(seed).shuffle(changes)
    line_of = {}
    for start, end, new in changes:
        changed = program[:start] + new + program[end:]
        if len(line_of) == most:
            break
        if changed != program and _compiles(changed):
            line_of.setdefault(changed, _line_at(changed, start))
    return [(line, changed) for changed, line in line_of.items()]


def _token_changes(program):
    starts = _line_starts(program)
    names = _names_by_line(program)
    tokens = list(tokenize.generate_tokens(io.StringIO(program).readline))
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if token.line.lstrip().startswith(NAMING):
            continue
        for new in _instead_of(token, before, after, names):
            place = starts[token.start[0]] + token.start[1]
            yield place, place + len(token.string), new


def _instead_of(token, before, after, names):
    text = token.string
    if token.type == tokenize.OP:
        return [OPERATORS[text]] if text in OPERATORS else []
    if token.type == tokenize.NUMBER:
        if text.isdigit():
            return [str(int(text) + 1), str(int(text) - 1)]
        return [f"{2 * float(text)}"]
    if token.type == tokenize.NAME and text in WORDS:
        return [WORDS[text]]
    if token.type != tokenize.NAME or before.string == "." or after.string == "=":
        return []
    here = names.get(token.start[0], ())
    return [name for name in here if name != text] if text in here else []


def _names_by_line(program):
    """Return {line: the variables of the innermost function around it}."""
    names = {}
    functions = [
        node
        for node in ast.walk(ast.parse(program))
        if isinstance(node, ast.FunctionDef)
    ]
    for function in functions:  # outer before inner
        variables = [arg.arg for arg in function.args.args if arg.arg != "self"]
        variables += [
            node.id
            for node in ast.walk(function)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        ]
        for line in range(function.lineno, function.end_lineno + 1):
            names[line] = tuple(dict.fromkeys(variables))
    return names


def _argument_swaps(program):
    starts = _line_starts(program)
    for node in ast.walk(ast.parse(program)):
        if not isinstance(node, ast.Call) or _swaps_two_axes(node):
            continue
        for left, right in zip(node.args, node.args[1:], strict=False):
            start = _offset(program, starts, left.lineno, left.col_offset)
            middle = _offset(program, starts, left.end_lineno, left.end_col_offset)
            again = _offset(program, starts, right.lineno, right.col_offset)
            end = _offset(program, starts, right.end_lineno, right.end_col_offset)
            swapped = program[again:end] + program[middle:again] + program[start:middle]
            yield start, end, swapped


def _swaps_two_axes(node):
    """Whether this is x.transpose(1, 2), which is x.transpose(2, 1)."""
    named = isinstance(node.func, ast.Attribute) and node.func.attr == "transpose"
    return named and len(node.args) == 2 and isinstance(node.args[0], ast.Constant)


def _line_starts(program):
    starts, total = {}, 0
    for number, line in enumerate(program.splitlines(True), 1):
        starts[number], total = total, total + len(line)
    return starts


def _offset(program, starts, line, column):
    """Turn a column in UTF-8 bytes, as `ast` counts, into a place in the text."""
    text = program[starts[line] :].split("\n", 1)[0]
    return starts[line] + len(text.encode()[:column].decode())


def _line_at(program, place):
    return program[program.rfind("\n", 0, place) + 1 :].partition("\n")[0].strip()


def _compiles(program):
    try:
        compile(program, "<mutant>", "exec")
    except SyntaxError:
        return False
    return True
