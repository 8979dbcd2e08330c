"""The text that is appended to a translation unit so that its kernel can be called from outside.

``native/kw_protocol.h`` says what the three functions do. The text stands at the end of the unit itself, so that a
static function, a namespace or a template is within reach; it names nothing that the unit could have redefined
(macros of the words it uses are undone first), and it never changes what stands above it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from tree_sitter import Node

from kernwright.contract import DTYPES, Arg, Contract, Role
from kernwright.kernel import C_TYPE_OF, Kernel, Parameter
from kernwright.syntax import Language, Parsed, ancestors, find_all

LONG_DOUBLE = "f80"
"""The dtype of the widened original, which no contract can name."""
_CALLABLE = (*DTYPES, LONG_DOUBLE)
MOST_SLOTS = 64
"""As many as the native programs have room for: their ``KW_MOST_SLOTS`` and ``MAX_ARGUMENTS``."""
THUNK_FILE = "kernwright-thunk"
"""The file name that compilers give in messages about the appended text."""

_WORDS = (
    "void", "struct", "const", "static", "extern", "return", "for", "if", "else", "new", "delete", "sizeof", "typedef",
    "char", "int", "long", "short", "unsigned", "signed", "float", "double", "template", "class", "operator", "bool",
    "_Bool", "__attribute__", "__builtin_malloc", "__builtin_free", "__builtin_memcpy",
)  # fmt: skip


class SlotKind(Enum):
    PARAMETER = "parameter"
    GLOBAL = "global"
    RETURN = "return"


@dataclass(frozen=True)
class Slot:
    """One argument of the calling protocol, in the order of ``kw_protocol.h``."""

    kind: SlotKind
    arg: Arg

    @property
    def name(self) -> str:
        return self.arg.name


@dataclass(frozen=True)
class Unreachable:
    """Why a kernel can't be called from outside; a sentence for the user that names the parameter."""

    reason: str


def slots_of(contract: Contract) -> tuple[Slot, ...]:
    """The argument slots of a complete contract."""
    slots = [Slot(SlotKind.PARAMETER, arg) for arg in contract.args.values()]
    slots += [Slot(SlotKind.GLOBAL, arg) for arg in contract.check.globals.values()]
    if contract.returns is not None:
        slots.append(Slot(SlotKind.RETURN, contract.returns))
    return tuple(slots)


def thunk(parsed: Parsed, kernel: Kernel, contract: Contract) -> bytes | Unreachable:
    """The text to append to ``parsed`` for calling ``kernel``, whose parameters the contract's entries describe by
    position: a candidate may have renamed them."""
    refusal = _unreachable(kernel, contract)
    if refusal is not None:
        return Unreachable(refusal)
    types = _template_arguments(kernel, contract)
    if isinstance(types, Unreachable):
        return types
    slots = slots_of(contract)
    if len(slots) > MOST_SLOTS:
        return Unreachable(
            f"'{kernel.name}' has {len(slots)} arguments, globals included; {MOST_SLOTS} can be handled"
        )
    cpp = kernel.language is Language.CPP
    prepare: list[str] = []
    passed: list[str] = []
    finish: list[str] = []
    for index, (slot, parameter) in enumerate(zip(slots, kernel.parameters, strict=False)):
        argument = _Argument(index, slot.arg, parameter, types, cpp)
        part = argument.passed()
        if isinstance(part, Unreachable):
            return part
        passed.append(part)
        prepare += argument.prepare()
        finish += argument.finish()
    for index, slot in enumerate(slots):
        if slot.kind is SlotKind.GLOBAL:
            lines = _global_lines(parsed, index, slot.arg)
            if isinstance(lines, Unreachable):
                return lines
            prepare += lines[0]
            finish += lines[1]
    call = f"{_callee(kernel, contract, cpp)}({', '.join(passed)})"
    if slots and slots[-1].kind is SlotKind.RETURN:
        result = slots[-1].arg.dtype
        call = f"*({_c_type(result, cpp)} *)kw_s->kw_at[{len(slots) - 1}] = {call}"
    if contract.check.setup is not None:
        prepare.insert(0, f"static int kw_made; if (!kw_made) {{ kw_made = 1; {contract.check.setup}(); }}")
    return _assemble(max(len(slots), 1), prepare, call, finish, cpp)


def _assemble(count: int, prepare: list[str], call: str, finish: list[str], cpp: bool) -> bytes:
    linkage = 'extern "C" ' if cpp else ""
    visible = '__attribute__((visibility("default"), used))'
    names = sorted(set(re.findall(r"\bkw_\w+", " ".join([*prepare, *finish, *_CPP_HELPERS, *_FRAME]))) | _FIELDS)
    lines = [
        "",
        f'#line 1 "{THUNK_FILE}"',
        *(f"#undef {word}" for word in (*_WORDS, *names)),
        f"struct kw_state {{ void *kw_at[{count}]; unsigned long kw_size[{count}]; }};",
        *(_CPP_HELPERS if cpp else ()),
        f"{linkage}{visible} {_FRAME[0]} {{",
        "  struct kw_state *kw_s = (struct kw_state *)__builtin_malloc(sizeof(struct kw_state));",
        f"  for (int kw_i = 0; kw_i < {count}; ++kw_i) kw_s->kw_at[kw_i] = kw_args[kw_i];",
        "  (void)kw_dims;",
        *(f"  {line}" for line in prepare),
        "  return kw_s;",
        "}",
        f"{linkage}{visible} {_FRAME[1]} {{",
        "  struct kw_state *kw_s = (struct kw_state *)kw_p;",
        "  (void)kw_s;",
        f"  {call};",
        "}",
        f"{linkage}{visible} {_FRAME[2]} {{",
        "  struct kw_state *kw_s = (struct kw_state *)kw_p;",
        "  (void)kw_args;",
        *(f"  {line}" for line in finish),
        "  __builtin_free(kw_s);",
        "}",
        "",
    ]
    return "\n".join(lines).encode()


_FRAME = (
    "void *kw_prepare(void *const *kw_args, const unsigned long *kw_dims)",
    "void kw_call(void *kw_p)",
    "void kw_finish(void *kw_p, void *const *kw_args)",
)
_FIELDS = {"kw_state", "kw_s", "kw_i", "kw_at", "kw_size"}
_CPP_HELPERS = (
    # Converts to a pointer of whatever type a template's parameter turned out to have.
    "struct kw_any { void *at; template <class kw_type> operator kw_type *() const "
    "{ return static_cast<kw_type *>(at); } };",
)


@dataclass(frozen=True)
class _Argument:
    """How one parameter is made from its slot."""

    index: int
    arg: Arg
    parameter: Parameter
    types: dict[str, str]
    cpp: bool

    @property
    def at(self) -> str:
        return f"kw_s->kw_at[{self.index}]"

    @property
    def element(self) -> str:
        """The element type as this unit writes it, template parameters replaced by their arguments."""
        return self._with_arguments(self.parameter.base)

    def _with_arguments(self, text: str) -> str:
        for name, value in self.types.items():
            text = re.sub(rf"\b{re.escape(name)}\b", value, text)
        return text

    @property
    def owned(self) -> str:
        """The type of the container that ``kw_prepare`` makes, or an empty string."""
        return f"std::vector<{self.element}>" if self.parameter.container == "vector" else ""

    def passed(self) -> str | Unreachable:
        parameter, arg, name = self.parameter, self.arg, self.arg.name
        if "<" in parameter.base:
            return Unreachable(f"parameter '{name}' is a '{parameter.base}', which no contract can describe")
        if not arg.is_array:
            if arg.dtype not in _CALLABLE:
                return Unreachable(f"parameter '{name}' is a struct passed by value")
            if self.cpp and parameter.reference:
                return f"*({self.element} *){self.at}"
            cast = f"({self.element})" if self.cpp else ""
            return f"{cast}*({_c_type(arg.dtype, self.cpp)} *){self.at}"
        match parameter.container:
            case "vector":
                if self.element == "bool":
                    return Unreachable(f"parameter '{name}' is a std::vector<bool>, whose bits have no address")
                return f"*({self.owned} *){self.at}"
            case "span":
                element = f"{'const ' if parameter.const else ''}{self.element}"
                return f"std::span<{element}>(({element} *){self.at}, kw_s->kw_size[{self.index}])"
            case "array":
                return f"*(std::array<{self.element}, {self._with_arguments(parameter.dims[0])}> *){self.at}"
            case _:
                return self._pointer()

    def _pointer(self) -> str | Unreachable:
        parameter = self.parameter
        if not parameter.is_array and not parameter.reference:
            return Unreachable(f"parameter '{self.arg.name}' is no array: '{parameter.text}'")
        if self.arg.rows and parameter.pointers < 2 and not (parameter.pointers and parameter.dims):
            return Unreachable(f"parameter '{self.arg.name}' is no array of rows: '{parameter.text}'")
        to_array = "(*" in re.sub(r"\s+", "", parameter.text)
        if parameter.pointers + bool(parameter.dims) > 1 and not self.arg.rows and not to_array:
            return Unreachable(f"parameter '{self.arg.name}' is an array of pointers, which the contract does not say")
        if not self.cpp:
            return self.at
        if parameter.reference:
            return f"*({self.element} *){self.at}"
        if self.types or parameter.dims:
            return f"kw_any{{{self.at}}}"
        stars = "*" * parameter.pointers
        const = "const " if parameter.const else ""
        return f"({const}{self.element} {stars}){self.at}"

    def prepare(self) -> list[str]:
        index = self.index
        if self.parameter.container == "vector" and self.arg.is_array:
            count = f"kw_dims[{2 * index}] * kw_dims[{2 * index + 1}]"
            first = f"({self.element} *)kw_args[{index}]"
            return [f"{self.at} = new {self.owned}({first}, {first} + {count});"]
        if self.parameter.container == "span" and self.arg.is_array:
            return [f"kw_s->kw_size[{index}] = kw_dims[{2 * index}] * kw_dims[{2 * index + 1}];"]
        if self.arg.rows:
            element = self.element if self.parameter.base != "void" else _c_type(self.arg.dtype, self.cpp)
            size = f"sizeof({'struct ' if self._needs_struct else ''}{element})"
            return [
                f"{{ void **kw_table = (void **)__builtin_malloc((kw_dims[{2 * index}] + 1) * sizeof(void *));",
                f"  for (unsigned long kw_row = 0; kw_row < kw_dims[{2 * index}]; ++kw_row)",
                f"    kw_table[kw_row] = (char *)kw_args[{index}] + kw_row * kw_dims[{2 * index + 1}] * {size};",
                f"  {self.at} = kw_table; }}",
            ]
        return []

    @property
    def _needs_struct(self) -> bool:
        return not self.cpp and re.search(r"\bstruct\b", self.parameter.text) is not None

    def finish(self) -> list[str]:
        index = self.index
        if self.parameter.container == "vector" and self.arg.is_array:
            copy = (
                "for (unsigned long kw_row = 0; kw_row < kw_made->size(); ++kw_row) "
                f"((kw_element *)kw_args[{index}])[kw_row] = (*kw_made)[kw_row];"
            )
            back = "" if self.parameter.const or self.arg.role is Role.IN else copy
            return [f"{{ typedef {self.element} kw_element; {self.owned} *kw_made = ({self.owned} *){self.at}; "
                    f"{back} (void)sizeof(kw_element); delete kw_made; }}"]  # fmt: skip
        if self.arg.rows:
            return [f"__builtin_free({self.at});"]
        return []


def _c_type(dtype: str, cpp: bool) -> str:
    if dtype == LONG_DOUBLE:
        return "long double"
    return "bool" if cpp and dtype == "bool" else C_TYPE_OF.get(dtype, "char")


def _unreachable(kernel: Kernel, contract: Contract) -> str | None:
    if contract.asks:
        return contract.asks[0]
    if kernel.variadic:
        return f"'{kernel.name}' takes a variable number of arguments"
    if kernel.member:
        return f"'{kernel.qualified}' is a member function that needs an object; make it static, or free"
    lacking = [parameter.name for parameter in kernel.parameters if parameter.name not in contract.args]
    if len(kernel.parameters) > len(contract.args) and lacking:
        return f"parameter '{lacking[0]}' of '{kernel.name}' has no entry under [args]"
    if len(kernel.parameters) != len(contract.args):
        have, told = len(kernel.parameters), len(contract.args)
        return f"'{kernel.name}' has {have} parameters, its contract has {told} entries"
    if kernel.return_pointers:
        return f"'{kernel.name}' returns a pointer; have it write to an 'out' parameter"
    if contract.returns is not None and (contract.returns.is_array or contract.returns.dtype not in _CALLABLE):
        return f"'{kernel.name}' returns '{contract.returns.dtype}', which can't be compared; only plain numbers can"
    if contract.check.setup is not None and not re.fullmatch(r"[A-Za-z_]\w*(::\w+)*", contract.check.setup):
        return f'setup = "{contract.check.setup}" is no name of a function'
    return None


def _template_arguments(kernel: Kernel, contract: Contract) -> dict[str, str] | Unreachable:
    """Template parameter to argument, by position, from ``instantiate``; empty for a function that is no template."""
    if not kernel.template:
        return {}
    text = contract.build.instantiate
    match = re.fullmatch(r"\s*[\w:]+\s*<(.*)>\s*", text or "", re.DOTALL)
    if match is None:
        return Unreachable(f"'{kernel.name}' is a template: say which one under [build], "
                           f'such as instantiate = "{kernel.name}<float>"')  # fmt: skip
    values = _split_arguments(match.group(1))
    names = [re.split(r"\s*=", parameter)[0].split()[-1].lstrip(".") for parameter in kernel.template]
    return dict(zip(names, values, strict=False))


def _split_arguments(text: str) -> list[str]:
    parts, depth, start = list[str](), 0, 0
    for at, char in enumerate(text):
        depth += (char in "<([") - (char in ">)]")
        if char == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, text[start:].strip()]


def _callee(kernel: Kernel, contract: Contract, cpp: bool) -> str:
    if not cpp:
        return kernel.name
    instance = contract.build.instantiate
    suffix = instance[instance.index("<") :].strip() if kernel.template and instance else ""
    return f"{kernel.qualified}{suffix}"


def _global_lines(parsed: Parsed, index: int, arg: Arg) -> tuple[list[str], list[str]] | Unreachable:
    """What copies one file-scope array in and out again; a file-scope pointer is pointed at the argument instead."""
    declared = _file_scope_declarator(parsed, arg.name)
    if declared is None:
        return Unreachable(f"globals.{arg.name}: no array or pointer of that name is declared at file scope")
    if declared.type == "pointer_declarator":
        cast = "(decltype({0}))" if parsed.language is Language.CPP else ""
        return [f"{arg.name} = {cast.format(arg.name)}kw_args[{index}];"], []
    size = f"kw_dims[{2 * index}] * kw_dims[{2 * index + 1}] * sizeof(*{'*' * _inner_dims(declared)}{arg.name})"
    copy_in = f"__builtin_memcpy((void *){arg.name}, kw_args[{index}], {size});"
    if arg.role is Role.IN:
        return [copy_in], []
    # kw_finish knows no extents: they are kept by prepare.
    keep = f"kw_s->kw_size[{index}] = {size};"
    return [keep, copy_in], [f"__builtin_memcpy(kw_args[{index}], (const void *){arg.name}, kw_s->kw_size[{index}]);"]


def _file_scope_declarator(parsed: Parsed, name: str) -> Node | None:
    for node in find_all(parsed.root, "array_declarator", "pointer_declarator"):
        inner = node.child_by_field_name("declarator")
        while inner is not None and inner.type == node.type:
            inner = inner.child_by_field_name("declarator")
        if inner is None or parsed.text(inner) != name:
            continue
        if not any(above.type in ("function_definition", "parameter_list") for above in ancestors(node)):
            return node
    return None


def _inner_dims(declarator: Node) -> int:
    count, inner = 0, declarator.child_by_field_name("declarator")
    while inner is not None and inner.type == "array_declarator":
        count, inner = count + 1, inner.child_by_field_name("declarator")
    return count
