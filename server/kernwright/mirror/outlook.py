"""One document between two analyses: its items, what its names mean, and the keys of its kernels.

``look`` brings it up to date with the text. Only items whose text changed are read again, and only kernels that an
edit may concern get new keys.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

from tree_sitter import Node

from kernwright.find.marks import (
    finite_math_above,
    flushes_denormals,
    has_generic_math,
    has_marks,
    reordering_above,
    vector_types,
)
from kernwright.mirror.definitions import Definitions
from kernwright.mirror.items import FunctionFacts, ItemFacts, Placed, deep_place, items_of, read_item
from kernwright.mirror.model import FoundFinding, KernelSummary
from kernwright.mirror.names import Names, changed_between, meaning_of, names_of
from kernwright.nesting import depth_words
from kernwright.syntax import Parsed

_ItemKey = tuple[str, int, str, tuple[str, ...], bytes, str]
PlacedKey = tuple[str, str, str, int, int]
"""Of a kernel: its two keys, whether it was analysed, line and column."""
_Own = tuple[bytes, bytes, bytes, tuple[str, ...]]
_SAME_ANYWHERE = frozenset(("function_definition", "comment"))
_WHOLE_FILE = b"*"
"""Stands among words for every name of the file."""
_WHOLE_FILE_WORDS = (b"globals", b"setup", b"reference", b"\\")
"""What in a contract may ask for any name of the file, or hide which names it mentions."""


class Standing(NamedTuple):
    """A kernel in the text: ``item`` is the node that it stands in, ``base`` the byte that its spans count from."""

    function: FunctionFacts
    item: Node
    base: int
    conditions: tuple[str, ...]

    @property
    def start(self) -> int:
        return self.base + self.function.region.start


@dataclass(frozen=True)
class Keys:
    """``public`` holds for as long as a compiler would see the same kernel; ``value`` for as long as analysis would.

    ``words`` are the kernel's own, ``further`` led to the keys beside them, and ``reached`` are the names whose
    definitions did, as ``Definitions`` gives them.
    """

    public: str
    value: str
    words: frozenset[bytes]
    further: frozenset[bytes]
    reached: int

    def depend_on(self, names: frozenset[bytes], redefined: int) -> bool:
        """Whether they may change with what some names mean, or with some definitions."""
        return bool(self.reached & redefined) or not (self.words.isdisjoint(names) and self.further.isdisjoint(names))


@dataclass
class Outlook:
    """``placed`` is what was last said of each kernel at its place, ``functions`` are all of the text, and ``used``
    the keys of the results that it has use for."""

    names: Names = field(default_factory=lambda: names_of(()))
    placed: dict[PlacedKey, tuple[KernelSummary, tuple[FoundFinding, ...]]] = field(
        default_factory=dict[PlacedKey, tuple[KernelSummary, tuple[FoundFinding, ...]]]
    )
    functions: list[FunctionFacts] = field(default_factory=list[FunctionFacts])
    used: frozenset[str] = frozenset()
    _items: dict[_ItemKey, ItemFacts] = field(default_factory=dict[_ItemKey, ItemFacts])
    _definitions: Definitions = field(default_factory=Definitions)
    _keys: dict[_Own, Keys] = field(default_factory=dict[_Own, Keys])
    _earlier_keys: dict[_Own, Keys] = field(default_factory=dict[_Own, Keys])
    _outside: bytes = b""

    def look(self, parsed: Parsed, outside: bytes) -> list[Standing] | str:
        """The kernels of the text in source order, or one line on why it cannot be analysed.

        ``outside`` is a hash of what findings depend on beside the text: rules, flags.
        """
        read: list[tuple[Placed, ItemFacts]] = []
        items: dict[_ItemKey, ItemFacts] = {}
        came: list[ItemFacts] = []
        for placed in items_of(parsed):
            place = deep_place(placed)
            if place is not None:
                return depth_words(parsed, place)
            key = _item_key(parsed, placed)
            facts = self._items.get(key)
            if facts is None:
                facts = items.get(key)
                if facts is None:
                    facts = read_item(parsed, placed)
                    came.append(facts)
            items[key] = facts
            read.append((placed, facts))
        kept = len(items) - len(came)
        gone = [facts for key, facts in self._items.items() if key not in items] if kept < len(self._items) else []
        self._items = items
        self._settle(parsed, read, gone, came, outside)
        self.names.tell(parsed)
        self.functions = [function for _, facts in read for function in facts.functions]
        return [
            Standing(function, placed.node, placed.start, placed.around.conditions)
            for placed, facts in read
            for function in facts.functions
            if function.is_kernel
        ]

    def _settle(
        self,
        parsed: Parsed,
        read: list[tuple[Placed, ItemFacts]],
        gone: list[ItemFacts],
        came: list[ItemFacts],
        outside: bytes,
    ) -> None:
        """Take in what changed, and drop the keys of kernels that it concerns."""
        redefined = self._definitions.update(
            [definition for facts in gone for definition in facts.definitions],
            [definition for facts in came for definition in facts.definitions],
        )
        changed: frozenset[bytes] | None = frozenset()
        self._earlier_keys, self._keys = self._keys, {}
        declared = tuple(facts.declared for _, facts in read if facts.declared is not None)
        if declared != self.names.declared:
            names = names_of(declared)
            changed = changed_between(self.names, names)
            changed = changed | {_WHOLE_FILE} if changed is not None else None
            self.names = names
        outside += repr((flushes_denormals(parsed), has_generic_math(parsed), vector_types(parsed))).encode()
        if changed is None or outside != self._outside:
            self._earlier_keys = {}
            self._outside = outside
        elif redefined or changed:
            mentioned, bits = changed | redefined, self._definitions.bits_of(redefined)
            self._earlier_keys = {
                own: keys for own, keys in self._earlier_keys.items() if not keys.depend_on(mentioned, bits)
            }

    def keys_of(self, parsed: Parsed, standing: Standing, elsewhere: bytes = b"") -> Keys:
        """``elsewhere`` is what ``kernwright.toml`` says of the kernel."""
        function = standing.function
        above = b""
        if has_marks(parsed):
            body, end = standing.base + function.body, standing.base + function.span.end
            above = repr((finite_math_above(parsed, body), reordering_above(parsed, body, end))).encode()
        own = (function.own, above, elsewhere, standing.conditions)
        known = self._keys.get(own) or self._earlier_keys.get(own) or self._new_keys(standing, above, elsewhere)
        self._keys[own] = known
        return known

    def _new_keys(self, standing: Standing, above: bytes, elsewhere: bytes) -> Keys:
        function = standing.function
        text, words = function.text, function.words
        meaning, further = meaning_of(self.names, words, text)
        whole_file = self._whole_file(function, elsewhere)
        if whole_file:
            further |= {_WHOLE_FILE}
        value = blake2b(function.own, digest_size=16)
        for part in (self._outside, above, elsewhere, meaning.encode(), whole_file):
            value.update(blake2b(part, digest_size=16).digest())
        reach = self._definitions.reached(words, text)
        public = blake2b(function.region_hash, digest_size=16)
        public.update(reach.digest)
        public.update(self.names.directives)
        public.update(repr(standing.conditions).encode())
        return Keys(public.hexdigest(), value.hexdigest(), words, further, reach.names)

    def _whole_file(self, function: FunctionFacts, elsewhere: bytes) -> bytes:
        """Everything that the file declares, for a contract that may ask for any of it."""
        asks = function.contract_comment is not None and any(word in function.text for word in _WHOLE_FILE_WORDS)
        if not asks and not elsewhere:
            return b""
        names = self.names
        return repr((names.functions, sorted(names.scope_names), sorted(names.meanings.items()))).encode()


def _item_key(parsed: Parsed, placed: Placed) -> _ItemKey:
    node, around = placed.node, placed.around
    if placed.head_only:
        body = node.child_by_field_name("body")
        end = body.start_byte if body is not None else node.end_byte
        head = parsed.snapshot.data[placed.start : end]
        return "head", node.end_byte - placed.start, "", around.scopes, head, ""
    text = parsed.snapshot.data[placed.start : node.end_byte]
    # What the parser makes of a text with errors depends on what is around it.
    shape = str(node) if node.has_error else ""
    kind = node.type
    # A function means the same wherever it stands; of what a declaration means, others hear or do not.
    level = "" if kind in _SAME_ANYWHERE else around.level.value
    return kind, node.descendant_count, level, around.scopes, text, shape
