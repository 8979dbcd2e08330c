"""What the interpreter has to know of a file before it runs a kernel: types, constants, functions, arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kernwright.c_types import FileArray, file_scope_arrays, struct_layout
from kernwright.contract import FLOAT_BITS
from kernwright.contract_text.setting import Setting
from kernwright.infer.mirror import Mirror, mirrored
from kernwright.infer.values import ANY, REAL, Pointer, Unknown, Value
from kernwright.kernel import Kernel, find_functions
from kernwright.syntax import OncePerText, Parsed, find_all, parse
from kernwright.text import Snapshot


@dataclass(frozen=True)
class Macro:
    """`#define AT(i, j) a[(i) * n + (j)]`."""

    parameters: tuple[str, ...]
    body: Mirror


@dataclass
class Program:
    """A kernel with its surroundings. ``constants`` may be replaced by small ones, to make long loops short."""

    parsed: Parsed
    kernel: Kernel
    setting: Setting
    constants: dict[str, int]
    literals: dict[int, int] = field(default_factory=dict[int, int])
    """Integer literals that stand for others in this program."""
    functions: dict[str, Kernel] = field(default_factory=dict[str, Kernel])
    macros: Mapping[str, Macro] = field(default_factory=dict[str, Macro])
    globals: dict[str, FileArray] = field(default_factory=dict[str, FileArray])
    """Arrays of the file that a call may find changed."""
    dtypes: dict[str, str | None] = field(default_factory=dict[str, str | None])
    """Element dtypes of parameters and globals; None for structs and types that are not known."""
    references: frozenset[str] = frozenset()
    """Scalars that the kernel may write: `float &s`."""
    levels: dict[str, int] = field(default_factory=dict[str, int])
    """How many indices reach an element of a region."""
    fields: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    field_dtypes: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])

    bodies: dict[int, Mirror] = field(default_factory=dict[int, Mirror])
    types: dict[str, str | None] = field(default_factory=dict[str, "str | None"])

    def body(self, kernel: Kernel) -> Mirror:
        """The body of the kernel or of a helper, copied once."""
        start = kernel.body.start_byte
        if start not in self.bodies:
            self.bodies[start] = mirrored(self.parsed, kernel.body)
        return self.bodies[start]

    def dtype(self, base: str) -> str | None:
        """The dtype of a type's text in this file, looked up once."""
        if base not in self.types:
            self.types[base] = self.setting.dtype_of_base(base)
        return self.types[base]

    def arguments(self, values: Mapping[str, int]) -> dict[str, Value]:
        """What the parameters hold at the start of a call."""
        found: dict[str, Value] = {}
        for parameter in self.kernel.parameters:
            name = parameter.name
            dtype = self.dtypes.get(name)
            if parameter.is_array or name in self.references:
                found[name] = Pointer(name)
            elif name in values:
                found[name] = values[name]
            else:
                found[name] = REAL if dtype in FLOAT_BITS else ANY
        return found

    def loaded(self, region: str, member: str | None) -> Value:
        """What reading an element gives."""
        dtype = self.field_dtypes.get(region, {}).get(member) if member is not None else self.dtypes.get(region)
        if dtype in FLOAT_BITS:
            return REAL
        low, high = {"u8": (0, 255), "i8": (-128, 127), "bool": (0, 1), "u16": (0, 65535)}.get(
            dtype or "", (None, None)
        )
        if low is None and dtype in ("u32", "u64"):
            low = 0
        return Unknown(low, high, region if region in self.dtypes and member is None else None, 0)


def program_of(parsed: Parsed, kernel: Kernel, setting: Setting) -> Program:
    program = Program(
        parsed,
        kernel,
        setting,
        dict(setting.constants),
        functions={name: function for name, function in _functions(parsed).items() if name != kernel.name},
        macros=macros_of(parsed),
        globals={name: array for name, array in file_scope_arrays(parsed).items() if kernel.parameter(name) is None},
    )
    program.references = frozenset(
        parameter.name
        for parameter in kernel.parameters
        if parameter.reference and not parameter.const and not parameter.is_array
    )
    for name, array in program.globals.items():
        program.dtypes[name] = setting.dtype_of_base(array.base)
        program.levels[name] = len(array.dims)
    for parameter in kernel.parameters:
        name = parameter.name
        program.dtypes[name] = setting.dtype_of(parameter)
        program.levels[name] = parameter.pointers + len(parameter.dims) + (1 if parameter.container else 0)
        if parameter.container == "array" and parameter.dims:
            program.levels[name] -= 1
        if parameter.reference and not parameter.is_array:
            program.levels[name] = 1
        layout = struct_layout(parsed, parameter.base) if program.dtypes[name] is None else None
        if layout:
            program.fields[name] = tuple(field.name for field in layout)
            program.field_dtypes[name] = {field.name: field.dtype for field in layout}
    return program


@OncePerText
def macros_of(parsed: Parsed) -> Mapping[str, Macro]:
    """Function-like macros of the file whose body is an expression."""
    found: dict[str, Macro] = {}
    for node in find_all(parsed.root, "preproc_function_def"):
        name, parameters, value = (node.child_by_field_name(field) for field in ("name", "parameters", "value"))
        if name is None or parameters is None or value is None:
            continue
        body = parsed.text(value).replace("\\\n", " ").strip()
        statement = parse(Snapshot(parsed.snapshot.path, f"void f(void) {{ {body}; }}".encode()), parsed.language)
        expressions = [
            child
            for holder in find_all(statement.root, "expression_statement")
            for child in holder.named_children
            if child.type != "comment"
        ]
        if len(expressions) == 1 and not statement.root.has_error:
            names = tuple(parsed.text(child) for child in parameters.named_children)
            found[parsed.text(name)] = Macro(names, mirrored(statement, expressions[0]))
    return found


@OncePerText
def _functions(parsed: Parsed) -> Mapping[str, Kernel]:
    return {function.name: function for function in find_functions(parsed)}
