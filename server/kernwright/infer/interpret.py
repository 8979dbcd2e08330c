"""Runs a kernel's source at given sizes, with unknown data, and keeps account of the elements that it touches.

Loop bounds and subscripts are computed; what depends on the contents of arrays is ``Unknown``. A branch on unknown
data is walked both ways, and only what both ways write counts as surely written. This is how inference learns that
``y`` is wholly written, or that its border survives, without a rule for each shape of loop.

Promises: nothing is compiled or started; the steps of one run are bounded (``Exhausted``); source that the
interpreter does not understand raises ``Unsupported`` with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from kernwright.infer.calls import CallEvaluator
from kernwright.infer.footprint import Footprint, Key
from kernwright.infer.mirror import Mirror
from kernwright.infer.places import Unsupported
from kernwright.infer.program import Program
from kernwright.infer.values import ANY, Value, join, joined
from kernwright.kernel import Kernel

_UNBOUNDED_TURNS = 24
_TURNS_WHEN_KNOWN = 6
"""The same for a loop that had no known end when it was last met."""
_TURNS_IN_DOUBT = 400
_WATCHED_TURNS = 3
"""What still grows in the last of those turns is what the loop runs through without end."""


class Outcome(Enum):
    NEXT = "next"
    BREAK = "break"
    CONTINUE = "continue"
    RETURN = "return"


@dataclass(frozen=True)
class Run:
    """One call: footprints by region, and the floating-point operations counted."""

    footprints: Mapping[str, Footprint]
    flops: int
    steps: int


@dataclass
class _Doubts:
    """How often so far a jump may have left: what follows is then not surely reached, until where the jump goes."""

    of: dict[Outcome, int] = field(default_factory=lambda: dict.fromkeys(Outcome, 0))

    @property
    def total(self) -> int:
        return sum(self.of.values())


def run(program: Program, values: Mapping[str, int], budget: int) -> Run:
    """Call the kernel with the given integer parameters."""
    machine = _Machine(program, budget)
    machine.enter(program.kernel, program.arguments(values))
    return Run(machine.ledger.finish(), machine.flops, budget - machine.budget)


class _Machine(CallEvaluator):
    """Statements and control flow; expressions and calls are the base classes'."""

    def __init__(self, program: Program, budget: int) -> None:
        super().__init__(program, budget)
        self.doubts = _Doubts()
        self.endless: set[Mirror] = set()
        """Loops that had no known end in this call."""

    def enter(self, kernel: Kernel, arguments: Mapping[str, Value]) -> None:
        self.names.update(arguments)
        self.statement(self.program.body(kernel))

    def inline(self, kernel: Kernel, arguments: Mapping[str, Value]) -> Value:
        """Run a helper function of the same file; its value is known when it returns in one place."""
        outer, self.names = self.names, dict(arguments)
        outer_doubts, self.doubts = self.doubts, _Doubts()
        outer_results, self.results = self.results, []
        layers = len(self.ledger.layers)
        self.statement(self.program.body(kernel))
        # Writes after a jump that may have left are dropped with their layers.
        del self.ledger.layers[layers:]
        results, self.results = self.results, outer_results
        self.names, self.doubts = outer, outer_doubts
        if not results:
            return ANY
        value = results[0]
        for other in results[1:]:
            value = join(value, other)
        return value

    def statement(self, node: Mirror) -> Outcome:
        self.step()
        match node.type:
            case "compound_statement" | "labeled_statement" | "else_clause" | "ERROR" | "case_statement":
                return self.block(node)
            case "expression_statement":
                for child in node.named:
                    self.value(child)
            case "declaration":
                self.declaration(node)
            case "if_statement":
                return self.branch(node)
            case "for_statement" | "while_statement" | "do_statement":
                return self.loop(node)
            case "return_statement":
                for child in node.named:
                    self.results.append(self.value(child))
                return Outcome.RETURN
            case "break_statement":
                return Outcome.BREAK
            case "continue_statement":
                return Outcome.CONTINUE
            case "goto_statement":
                raise Unsupported("it uses goto")
            case "switch_statement":
                return self.switch(node)
            case "for_range_loop":
                raise Unsupported("it loops over a range whose size no parameter gives")
            case "throw_statement" | "try_statement" | "co_return_statement":
                raise Unsupported("it uses exceptions")
            case "asm_statement" | "gnu_asm_expression":
                raise Unsupported("it has inline assembly")
            case _:
                pass
        return Outcome.NEXT

    def block(self, node: Mirror) -> Outcome:
        for child in node.named:
            before = self.doubts.total
            outcome = self.statement(child)
            if outcome is not Outcome.NEXT:
                return outcome
            if self.doubts.total != before:
                self.ledger.layers.append(set())
        return Outcome.NEXT

    def branch(self, node: Mirror) -> Outcome:
        condition = node.get("condition")
        consequence = node.get("consequence")
        alternative = node.get("alternative")
        truth = self.truth(condition) if condition is not None else None
        if truth is True and consequence is not None:
            return self.statement(consequence)
        if truth is False:
            return self.statement(alternative) if alternative is not None else Outcome.NEXT
        return self.either([consequence, alternative], condition)

    def either(
        self, ways: list[Mirror | None], condition: Mirror | None, back: tuple[Outcome, ...] = (Outcome.NEXT,)
    ) -> Outcome:
        """Walk every way from here; what holds afterwards is what all ways that come back agree on.

        ``condition`` holds on the first way and not on the second. ``back`` are the outcomes with which a way comes
        back: after a switch, a break too.
        """
        layers = self.ledger.layers
        mark, start = len(layers), self.names
        returning: list[tuple[dict[str, Value], set[Key]]] = []
        left: list[Outcome] = []
        gone: list[set[Key]] = []
        for number, way in enumerate(ways):
            self.names = dict(start)
            layers.append(set())
            if condition is not None:
                self.assume(condition, number == 0)
            outcome = self.statement(way) if way is not None else Outcome.NEXT
            if outcome not in back:
                left.append(outcome)
                gone.append(layers[mark])
            else:
                returning.append((self.names, layers[mark]))
            del layers[mark:]
        if not returning:
            if len(set(left)) == 1:
                layers[-1].update(set[Key].intersection(*gone))
            for outcome in left[1:]:
                self.doubts.of[outcome] += 1
            return left[0]
        names, written = returning[0]
        for other, also_written in returning[1:]:
            names = joined(names, other)
            written = written & also_written
        self.names = names
        for outcome in left:
            self.doubts.of[outcome] += 1
        if left:
            layers.append(written)
        else:
            layers[-1].update(written)
        return Outcome.NEXT

    def switch(self, node: Mirror) -> Outcome:
        """Each case is one way, with those that it falls into; without a default there is one that does nothing."""
        condition, body = node.get("condition"), node.get("body")
        if condition is not None:
            self.value(condition)
        cases = [child for child in body.named if child.type == "case_statement"] if body is not None else []
        ways: list[Mirror | None] = [
            Mirror("compound_statement", "", case.start, named=cases[index:]) for index, case in enumerate(cases)
        ]
        if all(case.get("value") is not None for case in cases):
            ways.append(None)
        breaks = self.doubts.of[Outcome.BREAK]
        outcome = self.either(ways, None, (Outcome.NEXT, Outcome.BREAK))
        self.doubts.of[Outcome.BREAK] = breaks
        return outcome

    def loop(self, node: Mirror) -> Outcome:
        body = node.get("body")
        condition = node.get("condition")
        update = node.get("update")
        initializer = node.get("initializer")
        if body is None:
            return Outcome.NEXT
        if initializer is not None:
            if initializer.type == "declaration":
                self.declaration(initializer)
            else:
                self.value(initializer)
        layers, of = self.ledger.layers, self.doubts.of
        mark, breaks = len(layers), of[Outcome.BREAK]
        watching = len(self.ledger.growing)
        most_blind_turns = _TURNS_WHEN_KNOWN if node in self.endless else _UNBOUNDED_TURNS
        start: dict[str, Value] | None = None
        outcome = Outcome.NEXT
        blind_turns = turns_in_doubt = 0
        checked = node.type != "do_statement"
        while True:
            truth = self.truth(condition) if checked and condition is not None else True
            checked = True
            if truth is False:
                break
            blind_turns += truth is None
            turns_in_doubt += start is not None
            if watching == len(self.ledger.growing) and (
                blind_turns > most_blind_turns - _WATCHED_TURNS or turns_in_doubt > _TURNS_IN_DOUBT - _WATCHED_TURNS
            ):
                self.ledger.growing.append(set())
            if blind_turns > most_blind_turns or turns_in_doubt > _TURNS_IN_DOUBT:
                self.endless.add(node)
                self.lose(condition)
                break
            before = dict(self.names)
            doubt = self.doubts.total
            continues, turn = of[Outcome.CONTINUE], len(layers)
            if truth is None and start is None:
                start = before
                layers.append(set())
                turn += 1
            if truth is None and condition is not None:
                self.assume(condition, True)
            outcome = self.statement(body)
            of[Outcome.CONTINUE] = continues
            if outcome in (Outcome.BREAK, Outcome.RETURN):
                break
            if len(layers) > turn:
                del layers[turn:]
            if self.doubts.total != doubt and start is None:
                # A turn may have left the loop: from now on nothing in it is sure.
                start = before
                layers.append(set())
            if update is not None:
                self.value(update)
            if truth is None:
                # The values that a name has had in any turn so far: they settle, or the loop has no known end.
                self.names = joined(before, self.names)
                if self.names == before:
                    break
        del self.ledger.growing[watching:]
        if start is not None:
            self.names = joined(start, self.names)
            if outcome is Outcome.RETURN:
                of[Outcome.RETURN] += 1
        del layers[mark:]
        of[Outcome.BREAK] = breaks
        return Outcome.RETURN if outcome is Outcome.RETURN and start is None else Outcome.NEXT

    def lose(self, condition: Mirror | None) -> None:
        """A loop did not end for all that is known: how far it reaches depends on data."""
        text = " ".join(condition.text.split()) if condition is not None else "no condition"
        for region in self.ledger.growing[-1]:
            self.ledger.footprint(region).unbounded.add(text.strip("()"))
