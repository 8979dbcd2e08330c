"""What the names of a file mean to the analysis of its kernels: constants, types and their fields, variables, and
whether compilers inline them. Readers of a whole text are told, so that none of them has to read it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b

from kernwright.c_types import (
    FieldText,
    aliases,
    constants_of,
    file_scope_names,
    first_of_each,
    integer_constants,
    structs,
)
from kernwright.find.tight import leaf_functions, leaves_among
from kernwright.find.types import Field, Structure, Variable, file_structures, file_variables
from kernwright.kernel import function_names
from kernwright.mirror.items import Declared
from kernwright.mirror.words import is_odd, words_of
from kernwright.syntax import Parsed

_Meaning = tuple[tuple[str, object], ...]


@dataclass(frozen=True)
class Names:
    """All that the items of a file declare, as the readers of a whole text would read it."""

    declared: tuple[Declared, ...]
    aliases: Mapping[str, str]
    structs: Mapping[str, tuple[FieldText, ...]]
    constants: Mapping[str, int]
    scope_names: frozenset[str]
    structures: Mapping[str, Structure]
    variables: Mapping[str, Variable]
    leaves: frozenset[str]
    functions: tuple[str, ...]
    meanings: Mapping[bytes, _Meaning]
    mentions: Mapping[bytes, frozenset[bytes]]
    """Names that the meaning of a name leads to: of an alias or of the fields of a structure."""
    odd: tuple[bytes, ...]
    """Names that may stand in a text without being one of its ``words_of``."""
    directives: bytes
    """A hash of the file's includes and pragmas: they may mean anything to anybody."""

    def tell(self, parsed: Parsed) -> None:
        """Spare the readers of the text from reading all of it."""
        aliases.tell(parsed, self.aliases)
        structs.tell(parsed, self.structs)
        integer_constants.tell(parsed, self.constants)
        file_scope_names.tell(parsed, self.scope_names)
        file_structures.tell(parsed, self.structures)
        file_variables.tell(parsed, self.variables)
        leaf_functions.tell(parsed, self.leaves)
        function_names.tell(parsed, self.functions)


def names_of(items: Iterable[Declared]) -> Names:
    """Put together what items declare, in their order."""
    declared = tuple(items)
    alias_map = first_of_each(entry for one in declared for entry in one.aliases)
    struct_map = first_of_each(entry for one in declared for entry in one.structs)
    constants = constants_of(entry for one in declared for entry in one.constants)
    structures = {name: value for one in declared for name, value in one.structures}
    variables = {name: value for one in declared for name, value in one.variables}
    leaves = leaves_among({name: calls for one in declared for name, calls in one.small_functions})
    directives = blake2b(digest_size=16)
    for one in declared:
        directives.update(one.directive)
    meanings = _meanings(alias_map, struct_map, constants, structures, variables, leaves)
    return Names(
        declared=declared,
        aliases=alias_map,
        structs=struct_map,
        constants=constants,
        scope_names=frozenset(name for one in declared for name in one.scope_names),
        structures=structures,
        variables=variables,
        leaves=leaves,
        functions=tuple(name for one in declared for name in one.functions),
        meanings=meanings,
        mentions=_mentions(alias_map, struct_map),
        odd=tuple(sorted(name for name in meanings if is_odd(name.decode("utf-8", errors="replace")))),
        directives=directives.digest(),
    )


def _meanings(
    alias_map: Mapping[str, str],
    struct_map: Mapping[str, tuple[FieldText, ...]],
    constants: Mapping[str, int],
    structures: Mapping[str, Structure],
    variables: Mapping[str, Variable],
    leaves: frozenset[str],
) -> Mapping[bytes, _Meaning]:
    parts: dict[str, list[tuple[str, object]]] = {}
    for name, text in alias_map.items():
        parts.setdefault(name, []).append(("alias", text))
    for name, fields in struct_map.items():
        parts.setdefault(name, []).append(("struct", fields))
    for name, value in constants.items():
        parts.setdefault(name, []).append(("constant", value))
    of_field: dict[str, dict[Field, None]] = {}
    for name, structure in structures.items():
        layout = (structure.name, tuple(structure.fields.items()), structure.size)
        parts.setdefault(name, []).append(("structure", layout))
        for field_name, field in structure.fields.items():
            of_field.setdefault(field_name, {})[field] = None
    for name, fields in of_field.items():
        # Where nobody knows the owner of a field, all structures that have one of its name are asked.
        parts.setdefault(name, []).append(("field", tuple(sorted(map(repr, fields)))))
    for name, variable in variables.items():
        parts.setdefault(name, []).append(("variable", variable))
    for name in leaves:
        parts.setdefault(name, []).append(("leaf", True))
    return {name.encode(): tuple(meaning) for name, meaning in parts.items()}


def _mentions(
    alias_map: Mapping[str, str], struct_map: Mapping[str, tuple[FieldText, ...]]
) -> Mapping[bytes, frozenset[bytes]]:
    found: dict[bytes, frozenset[bytes]] = {}
    for name, text in alias_map.items():
        found[name.encode()] = words_of(text.encode())
    for name, fields in struct_map.items():
        label = name.encode()
        found[label] = found.get(label, frozenset()) | words_of("\n".join(field.text for field in fields).encode())
    return found


def changed_between(before: Names, after: Names) -> frozenset[bytes] | None:
    """The names that mean something else now. None when every name may."""
    if before.directives != after.directives or before.odd != after.odd:
        return None
    return frozenset(
        name
        for name in before.meanings.keys() | after.meanings.keys()
        if before.meanings.get(name) != after.meanings.get(name)
    )


def meaning_of(names: Names, words: frozenset[bytes], text: bytes) -> tuple[str, frozenset[bytes]]:
    """What the words of a text mean, in words of its own, and which further words that led to."""
    waiting = [*words, b"", *(odd for odd in names.odd if odd in text)]
    seen: set[bytes] = set(waiting)
    found: list[tuple[bytes, _Meaning]] = []
    while waiting:
        word = waiting.pop()
        meaning = names.meanings.get(word)
        if meaning is None:
            continue
        found.append((word, meaning))
        further = names.mentions.get(word, frozenset()) - seen
        seen |= further
        waiting.extend(further)
    return repr(sorted(found, key=lambda entry: entry[0])), frozenset(seen - words)
