"""Names, lvalues, loads and stores of an interpreted kernel."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from kernwright.contract import FLOAT_BITS
from kernwright.infer.footprint import Ledger
from kernwright.infer.mirror import Mirror
from kernwright.infer.program import Program
from kernwright.infer.values import ANY, REAL, Integer, Pointer, Unknown, Value, plus


class Unsupported(Exception):
    """Source that the interpreter does not follow; ``str()`` says what it is."""


class Exhausted(Exception):
    """The budget of steps is used up."""


@dataclass(frozen=True)
class Element:
    """An element of a region, or a field of it."""

    region: str
    index: tuple[Integer, ...]
    member: str | None = None


Place = Element | str
"""Something that can be assigned to; a text is a variable's name."""


class Places(ABC):
    """Names and what they hold, lvalues, loads and stores; ``ledger`` keeps account of the accesses."""

    def __init__(self, program: Program, budget: int) -> None:
        self.program = program
        self.budget: int = budget
        self.names: dict[str, Value] = {}
        self.kinds: dict[str, str | None] = dict(program.dtypes)
        self.levels = dict(program.levels)
        self.own: set[str] = set()
        """Regions that live in the kernel: local arrays and what it allocates."""
        self.ledger = Ledger()
        self.ledger.fields = program.fields
        self.results: list[Value] = []
        self.literals: dict[str, Value] = {}
        self.flops: int = 0

    @abstractmethod
    def value(self, node: Mirror) -> Value: ...

    @abstractmethod
    def macro_place(self, node: Mirror) -> Place | None: ...

    @abstractmethod
    def parts(self, node: Mirror) -> None: ...

    def step(self) -> None:
        self.budget -= 1
        if self.budget < 0:
            raise Exhausted

    def declaration(self, node: Mirror) -> None:
        kind = node.get("type")
        base = kind.text if kind is not None else "int"
        dtype = self.program.dtype(base)
        for child in node.all("declarator"):
            initial = child.get("value") if child.type == "init_declarator" else None
            inner = child.get("declarator") if child.type == "init_declarator" else child
            pointers, dims = 0, 0
            while inner is not None and inner.type != "identifier":
                pointers += inner.type == "pointer_declarator"
                dims += inner.type == "array_declarator"
                inner = inner.get("declarator") or next(
                    (c for c in inner.named if "declarator" in c.type or c.type == "identifier"), None
                )
            if inner is None:
                continue
            name = inner.text
            if dims and not pointers:
                self.own.add(name)
                self.names[name] = Pointer(name)
                self.levels[name], self.kinds[name] = dims, dtype
                if initial is not None:
                    self.parts(initial)
            elif initial is not None:
                value = self.value(initial)
                self.names[name] = value if pointers or base == "auto" else self.converted(value, dtype)
                self.kinds[name] = dtype
            else:
                self.names[name] = REAL if dtype in FLOAT_BITS and not pointers else ANY
                self.kinds[name] = dtype

    def converted(self, value: Value, dtype: str | None) -> Value:
        if dtype in FLOAT_BITS:
            return REAL
        if value is REAL and dtype is not None:
            return ANY
        return value

    def place(self, node: Mirror) -> Place | None:
        """What an lvalue names. Subscripts in it are evaluated, and pointers that lie in memory are loaded."""
        match node.type:
            case "identifier":
                return node.text
            case "parenthesized_expression" if len(node.named):
                return self.place(node.named[0])
            case "subscript_expression":
                argument = node.get("argument")
                indices = node.get("index") or node.get("indices")
                if argument is None or indices is None:
                    return None
                base = self.value(argument)
                inner = indices.named[0] if indices.type == "subscript_argument_list" else indices
                index = self.integer(inner)
                return self.element(base, index)
            case "pointer_expression" if node.children[0].type == "*":
                argument = node.get("argument")
                return self.element(self.value(argument), 0) if argument is not None else None
            case "field_expression":
                return self.field(node)
            case "call_expression":
                return self.macro_place(node)
            case _:
                return None

    def element(self, base: Value, index: Integer) -> Element | None:
        if not isinstance(base, Pointer):
            return None
        return Element(base.region, (*base.prefix, plus(base.offset, index)))

    def field(self, node: Mirror) -> Place | None:
        argument, name = node.get("argument"), node.get("field")
        if argument is None or name is None:
            return None
        member = name.text
        if any(child.type == "->" for child in node.children):
            inner: Place | None = self.element(self.value(argument), 0)
        else:
            inner = self.place(argument)
        if not isinstance(inner, Element):
            return None
        if inner.member is None and member in self.program.fields.get(inner.region, ()):
            return Element(inner.region, inner.index, member)
        if inner.region not in self.own:
            raise Unsupported(f"'{inner.region}' points to a structure that no contract can describe")
        return None

    def load(self, place: Place | None) -> Value:
        match place:
            case None:
                return ANY
            case str():
                return self.variable(place)
            case Element(region, index, member):
                if len(index) < self.levels.get(region, 1):
                    return Pointer(region, index)
                if region in self.own:
                    return REAL if self.kinds.get(region) in FLOAT_BITS else ANY
                self.ledger.read(region, index, member)
                return self.program.loaded(region, member)

    def variable(self, name: str) -> Value:
        if name in self.names:
            return self.names[name]
        if name in self.program.constants:
            return self.program.constants[name]
        if name in self.program.globals:
            return Pointer(name)
        return {"true": 1, "false": 0}.get(name, ANY)

    def store(self, place: Place | None, value: Value) -> None:
        match place:
            case None:
                pass
            case str():
                held = self.names.get(place)
                if place in self.program.references and isinstance(held, Pointer):
                    # `s = …` writes what the reference refers to.
                    self.ledger.write(place, (0,), None)
                else:
                    kind = self.kinds.get(place) if not isinstance(value, Pointer) else None
                    self.names[place] = self.converted(value, kind)
            case Element(region, index, member):
                if region not in self.own:
                    self.ledger.write(region, index, member)

    def integer(self, node: Mirror) -> Integer:
        value = self.value(node)
        return value if isinstance(value, int | Unknown) else ANY
