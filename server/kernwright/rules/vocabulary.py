"""``PREDICATES``: the words that a rule's query may use beside tree-sitter's patterns, each with what it means.

This is the one table: the documentation is generated from it, the loader checks rule files against it, and a test
checks that ``find/predicates`` implements exactly these. Any of Kernwright's own may be negated: ``#not-in-loop?``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from kernwright.rules.model import PredicateCall

COMPARISONS = (">", ">=", "<", "<=", "==", "!=")


@dataclass(frozen=True)
class Predicate:
    """``arguments`` as written in a query: ``@node`` is a capture, ``"text"`` a word; ``[…]`` may be left out, ``…``
    may be repeated. ``binds`` are names that a message or a template may use once the predicate holds."""

    arguments: tuple[str, ...]
    meaning: str
    binds: tuple[str, ...] = ()
    builtin: bool = False

    @property
    def least(self) -> int:
        return sum(not argument.startswith("[") for argument in self.arguments)

    @property
    def most(self) -> int | None:
        return None if any("…" in argument for argument in self.arguments) else len(self.arguments)


def _own(*arguments: str, meaning: str, binds: str = "") -> Predicate:
    return Predicate(arguments, meaning, tuple(binds.split()))


PREDICATES: dict[str, Predicate] = {
    "eq?": Predicate(
        ("@node", '"text"'), "the text of the node is this one (or that of another capture)", builtin=True
    ),
    "match?": Predicate(("@node", '"regex"'), "the text of the node matches the regular expression", builtin=True),
    "any-of?": Predicate(("@node", '"text"…'), "the text of the node is one of these", builtin=True),
    # Loops
    "in-loop?": _own("@node", meaning="every turn of some loop evaluates the node", binds="loop"),
    "in-inner-loop?": _own("@node", meaning="as in-loop?, and that loop has no loop inside", binds="loop"),
    "in-condition?": _own("@node", meaning="the node is part of a loop's condition", binds="loop"),
    "counted?": _own("@node", meaning="the loop around the node is counted, and the node runs in each of its turns"),
    "innermost?": _own("@loop", meaning="the loop has no loop inside"),
    "many-turns?": _own(
        "@node", '["N"]', meaning="the loop that is or holds the node has N turns (16) or more, or nobody knows"
    ),
    "tight?": _own(
        "@node", meaning="no turn of the loop that is or holds the node calls what is not inlined, or allocates"
    ),
    "carried?": _own("@loop", meaning="a dependence runs from one turn of the loop to a later one"),
    "affine?": _own("@loop", meaning="every subscript in the loop is a polynomial over loop variables and constants"),
    "invariant?": _own(
        "@expression", meaning="nothing that the expression reads changes in the innermost loop around it"
    ),
    "constant?": _own("@expression", meaning="the expression is a constant: literals, and names that stand for them"),
    "loop-stores?": _own("@node", meaning="the innermost loop around the node stores to memory that others may see"),
    "only-read?": _own("@name", meaning="the kernel never writes to the name, its elements, or hands it on by move"),
    "vectorisable?": _own(
        "@loop",
        meaning="an innermost loop with known bounds, neighbouring accesses and no carried dependence, of which a "
        "compiler reported that it left it scalar",
        binds="remark",
    ),
    "explicit-simd?": _own("@loop", meaning="the loop uses vector intrinsics or vector types"),
    # Types
    "float?": _own("@expression", meaning="the expression has the type float or double", binds="ctype"),
    "type?": _own("@expression", '"dtype"…', meaning="the expression has one of these types, such as f32 or u8"),
    # What tools said
    "remark?": _own("@node", '"regex"', meaning="a compiler's remark on a line of the node matches", binds="remark"),
    "missed?": _own(
        "@loop",
        meaning="a compiler reported that it did not vectorise this loop, and none that it did",
        binds="remark",
    ),
    "vectorised?": _own("@loop", meaning="a compiler reported that it vectorised this loop"),
    "math-errno?": _own(meaning="functions of the C library set errno, so that the compiler keeps each call"),
    "metric?": _own(
        '"name"',
        '"operator"',
        '"number"',
        meaning="a measured or counted figure of the kernel compares so, such as spills > 0",
    ),
    "flag?": _own('"regex"…', meaning="one of the build flags of the kernel matches one of these", binds="flag"),
    "finite-math?": _own(meaning="the build flags promise that no NaN and no infinity occurs", binds="flag"),
    "strict-float?": _own(meaning="the compiler may not reorder floating-point operations"),
    # Memory
    "bound-reloaded?": _own(
        "@load",
        meaning="a loop's condition reads this memory in every turn because a store in the body may change it",
        binds="loop store",
    ),
    "accumulates-in-memory?": _own(
        "@assignment",
        meaning="the loop updates the same element in every turn, and other memory that it reads may overlap it",
        binds="loop target other",
    ),
    "load-reloaded?": _own(
        "@access",
        meaning="the loop reads the same place in every turn because a store in it may change that place",
        binds="loop store",
    ),
    "may-overlap?": _own(
        "@loop",
        meaning="two pointers of the loop may overlap, and a compiler reported that this stopped it",
        binds="written other remark",
    ),
    "walks-columns?": _own(
        "@access",
        meaning="turns of the inner loop lie far apart in memory while those of a loop around it are neighbours, and "
        "exchanging the two is legal and leaves no other access worse",
        binds="loop outer variable outer_variable array stride",
    ),
    "structure-stride?": _own(
        "@access",
        meaning="the loop walks an array of structures and uses at most half of each structure's bytes",
        binds="loop structure used size",
    ),
    "unsigned-index?": _own(
        "@subscript",
        meaning="the subscript is computed in 32-bit (or narrower) unsigned arithmetic that may wrap around",
        binds="loop index dtype",
    ),
    "unsigned-end?": _own(
        "@loop",
        meaning="the loop ends at `<=` an unsigned bound, or steps past it, and may never end",
        binds="condition",
    ),
    "narrow-counter?": _own(
        "@loop", meaning="the loop variable has fewer bits than its bound", binds="variable dtype bound"
    ),
    # Order of statements and iterations
    "order-hides-vectors?": _own(
        "@loop",
        meaning="a dependence runs against the order of the statements, and splitting the loop removes it",
        binds="array first second",
    ),
    "anti-dependence-cycle?": _own(
        "@loop", meaning="an anti-dependence closes a cycle that a copy of the old values breaks", binds="array here"
    ),
    "crossing?": _own(
        "@loop",
        meaning="one array is read and written from both ends, so that the dependence turns round at a threshold",
        binds="array threshold here",
    ),
    "product-nest?": _own(
        "@assignment",
        meaning="the statement is the body of a matrix product over three large loops",
        binds="loop outer left right",
    ),
    # Control flow
    "searches?": _own(
        "@loop", meaning="the loop only looks for the first element that meets a condition", binds="here"
    ),
    "branch-on-invariant?": _own(
        "@if",
        meaning="the condition is the same in every turn, and the compiler cannot or does not move it out",
        binds="loop why",
    ),
    "branch-on-index?": _own(
        "@if",
        meaning="the condition compares the loop variable with a value that does not change",
        binds="loop variable",
    ),
    "branch-on-data?": _own(
        "@if", meaning="the condition depends on array elements and only chooses what is stored", binds="loop remark"
    ),
    # Numbers
    "reduces?": _own(
        "@assignment",
        '"operators"',
        '["dtype"…]',
        meaning="the assignment combines one accumulator with something new; operators out of + * min max",
        binds="loop name dtype",
    ),
    "narrow-accumulator?": _own(
        "@assignment",
        meaning="an integer accumulator cannot hold the sum that the loop's turns may reach",
        binds="loop name dtype why",
    ),
    "widens?": _own(
        "@literal",
        meaning="a double literal makes the compiler compute a float expression in double precision",
        binds="operand",
    ),
    "double-call?": _own(
        "@call", meaning="a double-precision function of the C library is called with a float", binds="function single"
    ),
    "small-power?": _own(
        "@call",
        meaning="pow with a constant exponent that a few multiplications replace",
        binds="base exponent product",
    ),
    "one-pass-variance?": _own(
        "@difference",
        meaning="the mean of squares minus the square of the mean, both summed in one loop in f32 or less",
        binds="squares",
    ),
    "compensates?": _own(
        "@assignment",
        meaning="the statement recovers the rounding error of a sum, as Kahan's summation does",
        binds="loop",
    ),
    "decays?": _own(
        "@assignment",
        meaning="a float is multiplied or divided over and over, so that it falls towards zero",
        binds="loop target",
    ),
    # Vector code
    "saturates?": _own(
        "@call", meaning="the sum of two products may leave 16 bits in a multiply-add that saturates", binds="reach"
    ),
    "reads-past-end?": _own(
        "@access",
        meaning="the loop steps by a block and its last block reaches past the bound, which nothing pads",
        binds="loop block bound",
    ),
    "unaligned-cast?": _own(
        "@cast", meaning="a byte address that need not be aligned is read as a wider type", binds="type source"
    ),
    "alignment-unknown?": _own(
        "@call",
        meaning="an aligned vector load or store is given an address that nobody promised to be aligned",
        binds="bytes pointer",
    ),
    "half-accumulates?": _own(
        "@call",
        meaning="a vector multiply-add or add in half precision accumulates over a loop",
        binds="loop accumulator",
    ),
    "reorders-sum?": _own(
        "@pragma",
        meaning="the pragma forces vectors on a loop whose float sum may not be reordered",
        binds="loop name",
    ),
    # C++
    "has-type?": _own(
        "@name", '"regex"', meaning="the name is a local or a parameter whose declared type matches", binds="declared"
    ),
    "loop-calls?": _own("@loop", '"regex"', meaning="the loop calls a function whose name matches"),
    "mentions?": _own('"regex"', meaning="the kernel's own text (comments left out) matches"),
}


def bound_names(call: PredicateCall) -> tuple[str, ...]:
    """Names that the call adds to those of the query."""
    predicate = PREDICATES.get(call.name)
    return predicate.binds if predicate is not None else ()


def problem_with_call(call: PredicateCall) -> str | None:
    """What is wrong with one call, with the remedy; None when nothing is."""
    predicate = PREDICATES.get(call.name)
    if predicate is None and call.name.startswith("not-"):
        predicate = PREDICATES.get(call.name.removeprefix("not-"))
    if predicate is None:
        if call.name.endswith("!"):
            return f"#{call.name} is a directive, and a rule has none; remove it"
        return f"there is no predicate #{call.name}; known are {', '.join('#' + name for name in PREDICATES)}"
    usage = " ".join((f"#{call.name}", *predicate.arguments))
    count = len(call.arguments)
    if count < predicate.least or (predicate.most is not None and count > predicate.most):
        return f"#{call.name} takes other arguments: ({usage})"
    for argument, is_capture in zip(predicate.arguments, call.captures, strict=False):
        if argument.startswith("@") and not is_capture:
            return f"#{call.name} takes a capture first: ({usage})"
    return None if predicate.builtin else _problem_with_words(predicate, call)


def _problem_with_words(predicate: Predicate, call: PredicateCall) -> str | None:
    kinds = list(predicate.arguments) + [predicate.arguments[-1]] * len(call.arguments) if predicate.arguments else []
    for kind, word in zip(kinds, call.arguments, strict=False):
        if '"regex"' in kind:
            try:
                re.compile(word.replace("\\\\", "\\"))
            except re.error as error:
                return f"#{call.name}: '{word}' is no regular expression ({error})"
        elif kind in ('["N"]', '"number"') and not re.fullmatch(r"\d+(\.\d+)?%?", word):
            return f"#{call.name}: '{word}' is no number"
        elif kind == '"operator"' and word not in COMPARISONS:
            return f"#{call.name}: '{word}' is no comparison; use one of {' '.join(COMPARISONS)}"
    return None
