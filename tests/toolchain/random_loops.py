"""Random loops over four arrays: statements with small offsets, scalars, conditions, reversed walks, nests of two.

All arithmetic is unsigned, so that nothing overflows and every difference counts. Every access is in range for the
extents that ``EXTENT`` gives.
"""

from __future__ import annotations

from random import Random

EXTENT = "(n * n + 8 * n + 64)"
ARRAYS = "abcd"
HEAD = "void f(int n, unsigned *a, unsigned *b, unsigned *c, unsigned *d)\n{\n"


def kernel(seed: int) -> str:
    random = Random(seed)
    text = random.choice((_flat, _flat, _flat, _wrapped, _nest, _accumulated, _pair))(random)
    return _with_another_header(random, text)


def _with_another_header(random: Random, text: str) -> str:
    """The same loops with headers written in other ways."""
    match random.randrange(6):
        case 0:
            return text.replace("i < n - 2; i++", "i <= n - 3; ++i").replace("j < n - 1; j++", "j <= n - 2; j += 1")
        case 1:
            return (
                text.replace("    for (int i = ", "    int i;\n    for (i = ", 1)
                if text.count("int i =") == 1
                else text
            )
        case 2:
            return text.replace("for (int i = ", "for (long i = ")
        case 3:
            return text.replace("i++) {\n", "i++)\n    {\n")
        case _:
            return text


def _element(random: Random, place: str = "i") -> str:
    # Most offsets point at what a later turn overwrites: the loops that the transforms are for.
    offset = random.choice((0, 0, 0, 0, 1, 1, 2, -1, -2) if random.random() < 0.5 else (0, 0, 1))
    sign = f" {'-' if offset < 0 else '+'} {abs(offset)}" if offset else ""
    return f"{random.choice(ARRAYS)}[{place}{sign}]"


def _value(random: Random, names: list[str], place: str = "i") -> str:
    parts = [random.choice([_element(random, place), _element(random, place), *names, str(random.randint(1, 9))])]
    for _ in range(random.randint(0, 2)):
        parts.append(random.choice(("+", "*", "-", "^")))
        parts.append(random.choice([_element(random, place), _element(random, place), *names]))
    return " ".join(parts)


def _statement(random: Random, names: list[str], reversed_walk: bool) -> str:
    kind = random.random()
    target = f"{random.choice('aab')}[{random.choice(('i', 'i', 'i', 'i', 'i + 1', 'i - 1'))}]"
    value = _value(random, names)
    if reversed_walk and random.random() < 0.5:
        value = f"{random.choice(ARRAYS)}[n - 1 - i] + {value}"
    if kind < 0.5:
        return f"{target} = {value};"
    if kind < 0.65:
        return f"{target} {random.choice(('+=', '^='))} {value};"
    condition = random.choice(
        ("i < n / 2", "i == 5", "i > 2", "i == n - 3", f"{_element(random)} > 7u", "n > 20", "i >= 40")
    )
    branch = f"{target} {random.choice(('=', '+='))} {value};"
    if random.random() < 0.5:
        return f"if ({condition}) {branch}"
    lines = [f"if ({condition})", f"    {branch}", "else {", f"    {target} = {_value(random, names)};", "}"]
    return "\n        ".join(lines)


def _flat(random: Random) -> str:
    names: list[str] = []
    body: list[str] = []
    reversed_walk = random.random() < 0.25
    for number in range(random.randint(1, 4)):
        if random.random() < 0.2:
            body.append(f"unsigned t{number} = {_value(random, names)}; // kept")
            names.append(f"t{number}")
        elif "u" not in names and random.random() < 0.1:
            body += [f"u = {_value(random, names)};"]
            body.insert(0, "unsigned u;")
            names.append("u")
        else:
            body.append(_statement(random, names, reversed_walk))
    low = "0" if reversed_walk and "i - " not in "".join(body) else "2"
    lines = "\n".join(f"        {line}" for line in body)
    return f"{HEAD}    for (int i = {low}; i < n - 2; i++) {{\n{lines}\n    }}\n}}\n"


def _wrapped(random: Random) -> str:
    chain = random.random() < 0.5
    read = "last + before" if chain else "last"
    value = random.choice(("c[i]", "d[i + 1]"))
    lines = [f"a[i] = b[i] + {read};", *(["before = last;"] if chain else []), f"last = {value};"]
    if random.random() < 0.3:
        lines.insert(0, "b[i] += 3;")
    start = "    unsigned last = 5;\n" + ("    unsigned before = 6;\n" if chain else "")
    after = "    d[0] = last;\n" if random.random() < 0.5 else ""
    body = "\n".join(f"        {line}" for line in lines)
    return f"{HEAD}{start}    for (int i = 0; i < n; i++) {{\n{body}\n    }}\n{after}}}\n"


def _place(random: Random, rows: str, columns: str) -> str:
    return f"({_moved(random, rows)}) * n + {_moved(random, columns)}"


def _moved(random: Random, name: str) -> str:
    return f"{name}{random.choice(('', '', ' + 1', ' - 1'))}"


def _nest(random: Random) -> str:
    rows, columns = random.choice((("i", "j"), ("j", "i")))
    places = [_place(random, rows, columns) for _ in range(3)]
    target = random.choice((f"a[{rows} * n + {columns}]", f"a[{places[0]}]", "d[i]", "d[j]"))
    other = random.choice(("a", "b"))
    line = f"{target} {random.choice(('=', '+='))} {other}[{places[1]}] * c[{random.choice('ij')}] + b[{places[2]}];"
    return (
        f"{HEAD}    for (int i = 1; i < n - 1; i++)\n        for (int j = 1; j < n - 1; j++)\n            {line}\n}}\n"
    )


def _accumulated(random: Random) -> str:
    store = random.choice(("d[i] = t;", "d[i] += 2 * t;", "d[i + 1] = t ^ d[i];", "a[i] = t;", "d[i] = t + q;"))
    second = "q" in store
    lines = ["        unsigned t = c[i];" if random.random() < 0.5 else "        unsigned t = 0;"]
    if second:
        lines.append("        unsigned q = 1; /* another */")
    lines.append("        for (int j = 0; j < n; j++)" + (" {" if second else ""))
    lines.append("            t += a[j * n + i] * b[j];")
    if second:
        lines += ["            q ^= a[j * n + i + 1];", "        }"]
    body = "\n".join([*lines, f"        {store}"])
    return f"{HEAD}    for (int i = 0; i < n; i++) {{\n{body}\n    }}\n}}\n"


def _pair(random: Random) -> str:
    """Two loops one after the other, the second one counting down now and then."""
    first = f"{random.choice('ab')}[i] = {_value(random, [])};"
    second = f"{random.choice('cd')}[i] = {_value(random, [])};"
    if random.random() < 0.3:
        second_head = "for (int i = n - 3; i >= 2; i--)"
    else:
        second_head = "for (int i = 2; i < n - 2; i++)"
    return f"{HEAD}    for (int i = 2; i < n - 2; i++)\n        {first}\n    {second_head}\n        {second}\n}}\n"
