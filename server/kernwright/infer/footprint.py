"""What one call does to each array: elements read before they are written, elements surely written, and its reach."""

from __future__ import annotations

from dataclasses import dataclass, field

from kernwright.infer.values import Unknown

Index = tuple[int, ...]
Key = tuple[str, Index, str | None]
"""One element of a region, or one field of it."""


@dataclass
class Footprint:
    """One region at one assignment of sizes. Indices have one entry per dimension that the source writes."""

    region: str
    reads: bool = False
    writes: bool = False
    early_read: bool = False
    """An element was read that the call had not surely written before."""
    low: list[int] = field(default_factory=list[int])
    high: list[int] = field(default_factory=list[int])
    written: set[Index] = field(default_factory=set[Index])
    """Elements written on every path through the kernel, with all their fields."""
    scattered: dict[tuple[int, Unknown], bool] = field(default_factory=dict[tuple[int, Unknown], bool])
    """Indices that depend on data: the dimension and the value; true where one of them is written."""
    read_after: int | None = None
    """How many elements were surely written when the first element of unknown place was read."""
    unbounded: set[str] = field(default_factory=set[str])
    """Why nobody can say how far the region is reached: texts of loop conditions."""
    escapes: set[str] = field(default_factory=set[str])
    """Functions that got a pointer into the region and whose body is not known."""

    @property
    def touched(self) -> bool:
        return bool(self.high) or bool(self.scattered)


class Ledger:
    """All footprints of one call, with what is surely written kept in layers: a layer that belongs to a path not
    surely taken is dropped when the paths meet again."""

    def __init__(self) -> None:
        self.footprints: dict[str, Footprint] = {}
        self.layers: list[set[Key]] = [set()]
        self.fields: dict[str, tuple[str, ...]] = {}
        """Field names of regions whose elements are structs."""
        self.growing: list[set[str]] = []
        """Regions reached farther than before, one set for each loop that watches for what it runs through."""

    def footprint(self, region: str) -> Footprint:
        return self.footprints.setdefault(region, Footprint(region))

    def read(self, region: str, index: tuple[int | Unknown, ...], member: str | None) -> None:
        footprint = self._touch(region, index, written=False)
        footprint.reads = True
        exact = _exact(index)
        if exact is None:
            count = len(self._written(region))
            footprint.read_after = count if footprint.read_after is None else min(count, footprint.read_after)
        elif not footprint.early_read:
            footprint.early_read = any(not self._is_written(key) for key in self._keys(region, exact, member))

    def write(self, region: str, index: tuple[int | Unknown, ...], member: str | None) -> None:
        footprint = self._touch(region, index, written=True)
        footprint.writes = True
        exact = _exact(index)
        if exact is not None:
            self.layers[-1].update(key for key in self._keys(region, exact, member) if not self._is_written(key))

    def _touch(self, region: str, index: tuple[int | Unknown, ...], *, written: bool) -> Footprint:
        footprint = self.footprint(region)
        for dimension, value in enumerate(index):
            if isinstance(value, Unknown):
                key = (dimension, value)
                if key not in footprint.scattered or value.high is None:
                    self._grow(region)
                footprint.scattered[key] = footprint.scattered.get(key, False) or written
                continue
            while len(footprint.high) <= dimension:
                footprint.low.append(value)
                footprint.high.append(value)
            if value > footprint.high[dimension]:
                footprint.high[dimension] = value
                self._grow(region)
            elif value < footprint.low[dimension]:
                footprint.low[dimension] = value
        return footprint

    def _grow(self, region: str) -> None:
        for watching in self.growing:
            watching.add(region)

    def _keys(self, region: str, index: Index, member: str | None) -> list[Key]:
        if member is None and region in self.fields:
            return [(region, index, name) for name in self.fields[region]]
        return [(region, index, member)]

    def _is_written(self, key: Key) -> bool:
        return any(key in layer for layer in self.layers)

    def _written(self, region: str) -> set[Index]:
        """Elements of the region that are surely written by now, with all their fields."""
        fields: dict[Index, int] = {}
        for layer in self.layers:
            for name, index, _ in layer:
                if name == region:
                    fields[index] = fields.get(index, 0) + 1
        needed = len(self.fields.get(region, ("",)))
        return {index for index, count in fields.items() if count >= needed}

    def finish(self) -> dict[str, Footprint]:
        del self.layers[1:]
        for region, footprint in self.footprints.items():
            footprint.written = self._written(region)
        return self.footprints


def _exact(index: tuple[int | Unknown, ...]) -> Index | None:
    exact = tuple(value for value in index if isinstance(value, int))
    return exact if len(exact) == len(index) else None
