"""What a compiler reads of a name: all of its definition's text, and that of every name in it.

Whatever a compiler or a profiler said of a kernel holds for as long as nothing changes that its names lead to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b

from kernwright.mirror.items import Definition
from kernwright.mirror.words import is_odd


@dataclass
class _Held:
    """A definition and how many items of the file hold it."""

    definition: Definition
    count: int = 1


@dataclass(frozen=True)
class Reach:
    """What a name leads to: a hash of all the definitions, and their names, a bit for each.

    A large file has a set for each of its names, and each may hold most of the others.
    """

    digest: bytes
    names: int


class Definitions:
    """The definitions of one text by the names that they define."""

    def __init__(self) -> None:
        self._by_name: dict[bytes, dict[bytes, _Held]] = {}
        self._leads_to: dict[bytes, tuple[frozenset[bytes], tuple[bytes, ...]]] = {}
        self._odd: dict[bytes, None] = {}
        self._reaches: dict[bytes, Reach] = {}
        self._bits: dict[bytes, int] = {}

    def bits_of(self, names: Iterable[bytes]) -> int:
        """The names as ``reached`` gives them. A name that was defined once has its bit for good."""
        bits = 0
        for name in names:
            bits |= self._bits.setdefault(name, 1 << len(self._bits))
        return bits

    def update(self, removed: Iterable[Definition], added: Iterable[Definition]) -> frozenset[bytes]:
        """Take definitions out and in. The names of which a text may not mention any, nor lead to any, for what it
        leads to to be the same as before."""
        changed: set[bytes] = set()
        emptied: set[bytes] = set()
        for definition in removed:
            for name in definition.names:
                held = self._by_name[name]
                one = held[definition.hash]
                one.count -= 1
                if one.count == 0:
                    del held[definition.hash]
                    self._leads_to.pop(definition.hash, None)
                    changed.add(name)
                    if not held:
                        emptied.add(name)
        came: set[bytes] = set()
        for definition in added:
            for name in definition.names:
                held = self._by_name.get(name)
                if held is None:
                    came.add(name)
                    held = self._by_name[name] = {}
                if definition.hash in held:
                    held[definition.hash].count += 1
                else:
                    held[definition.hash] = _Held(definition)
                    changed.add(name)
        gone = {name for name in emptied if not self._by_name[name]}
        for name in gone:
            del self._by_name[name]
        if changed:
            self._reaches.clear()
        if came or gone:
            self._forget_what_leads_to(came | gone)
            changed |= self._who_mention(came)
        return frozenset(changed)

    def _forget_what_leads_to(self, names: set[bytes]) -> None:
        self._odd = {name: None for name in self._by_name if is_odd(name.decode("utf-8", errors="replace"))}
        for hashed, led in [*self._leads_to.items()]:
            if not led[0].isdisjoint(names):
                del self._leads_to[hashed]

    def _who_mention(self, names: set[bytes]) -> set[bytes]:
        """The names whose definitions mention one of the names, which nobody defined before."""
        return (
            {
                name
                for name, held in self._by_name.items()
                if any(not one.definition.words.isdisjoint(names) for one in held.values())
            }
            if names
            else set()
        )

    def reached(self, words: Iterable[bytes], text: bytes) -> Reach:
        """Every definition that a text leads to."""
        mentioned = {word for word in words if word in self._by_name}
        mentioned.update(name for name in self._odd if name in text)
        reaches = [self._reach(name) for name in mentioned]
        digest = blake2b(digest_size=16)
        for one in sorted({reach.digest for reach in reaches}):
            digest.update(one)
        return Reach(digest.digest(), _united(reaches))

    def _reach(self, name: bytes) -> Reach:
        """What one name leads to. Names that lead to each other lead to the same: they are found as the strongly
        connected components of all that can be reached (Tarjan's algorithm, without recursion)."""
        known = self._reaches.get(name)
        if known is not None:
            return known
        order: dict[bytes, int] = {}
        lowest: dict[bytes, int] = {}
        open_names: list[bytes] = []
        path: list[tuple[bytes, Iterator[bytes]]] = []

        def enter(new: bytes) -> None:
            order[new] = lowest[new] = len(order)
            open_names.append(new)
            path.append((new, iter(self._leads(new))))

        enter(name)
        while path:
            here, further = path[-1]
            for other in further:
                if other in self._reaches:
                    continue
                if other not in order:
                    enter(other)
                    break
                # Whatever was entered and has no reach yet is still open.
                lowest[here] = min(lowest[here], order[other])
            else:
                path.pop()
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[here])
                if lowest[here] == order[here]:
                    at = len(open_names) - 1
                    while open_names[at] != here:
                        at -= 1
                    self._close(open_names[at:])
                    del open_names[at:]
        return self._reaches[name]

    def _close(self, group: list[bytes]) -> None:
        """Give the names of one component what they lead to; what is beyond them is known."""
        names = set(group)
        beyond = {other for name in group for other in self._leads(name)} - names
        parts = {hashed for name in group for hashed in self._by_name[name]}
        parts.update(self._reaches[other].digest for other in beyond)
        digest = blake2b(digest_size=16)
        for part in sorted(parts):
            digest.update(part)
        reach = Reach(digest.digest(), self.bits_of(names) | _united(self._reaches[other] for other in beyond))
        self._reaches.update(dict.fromkeys(group, reach))

    def _leads(self, name: bytes) -> set[bytes]:
        return {other for held in self._by_name[name].values() for other in self._names_in(held.definition)}

    def _names_in(self, definition: Definition) -> tuple[bytes, ...]:
        known = self._leads_to.get(definition.hash)
        if known is None:
            known = definition.words, tuple(word for word in definition.words if word in self._by_name)
            self._leads_to[definition.hash] = known
        return known[1]


def _united(reaches: Iterable[Reach]) -> int:
    names = 0
    for reach in reaches:
        names |= reach.names
    return names
