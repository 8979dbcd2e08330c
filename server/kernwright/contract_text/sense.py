"""Whether a contract makes sense for its kernel: parameters, C types and names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from kernwright.c_types import file_scope_names, struct_layout, struct_obstacle, struct_of
from kernwright.contract import DTYPES, INTEGER_BITS, Arg, Contract, Role
from kernwright.contract import ProblemSeverity as Severity
from kernwright.contract_text.entry import Entry, near
from kernwright.contract_text.setting import Setting, inexpressible, is_rows, setting_of
from kernwright.contract_text.sizes import check_list, check_values, time_points
from kernwright.contract_text.tables import CHECK_KEYS, RETURN, Draft
from kernwright.contract_text.template import BadInstantiation
from kernwright.expression import Expression
from kernwright.kernel import Kernel, Parameter, function_names
from kernwright.syntax import Parsed
from kernwright.toml_places import Path


def make_sense(draft: Draft, parsed: Parsed, kernel: Kernel) -> Contract:
    """Report what does not fit the kernel, and give the contract with its args in the kernel's order."""
    contract = draft.contract
    try:
        setting = setting_of(parsed, kernel, contract.build.instantiate)
    except BadInstantiation as error:
        draft.report(draft.toml.value_span("build", "instantiate"), str(error))
        setting = setting_of(parsed, kernel, None)
    if draft.named is not None:
        _check_parameters(draft, setting, draft.named)
        _check_types(draft, setting)
    _check_return(draft, setting)
    contract = _bind(draft, setting)
    scalars = _scalars(contract, setting)
    _check_names(draft, setting, contract, scalars)
    _check_functions(draft, setting)
    check_values(draft, contract)
    return contract


def _check_parameters(draft: Draft, setting: Setting, named: set[str]) -> None:
    kernel, toml = setting.kernel, draft.toml
    names = [parameter.name for parameter in kernel.parameters]
    for parameter in kernel.parameters:
        obstacle = inexpressible(parameter)
        if obstacle:
            draft.report(
                toml.key_span("args"), f"{obstacle}, which no entry can describe: {kernel.name} is not checkable"
            )
        elif parameter.name not in named:
            draft.report(
                toml.key_span("args"),
                f"parameter '{parameter.name}' of {kernel.name} has no entry in [args]: "
                f'add one such as {parameter.name} = "{_suggestion(parameter, setting)}"',
            )
    for name in sorted(named - {RETURN}):
        if name not in names:
            known = f"its parameters are {', '.join(names)}" if names else "it has none"
            draft.report(
                toml.key_span("args", name), f"'{name}' is no parameter of {kernel.name}: {known}{near(name, names)}"
            )


def _suggestion(parameter: Parameter, setting: Setting) -> str:
    dtype = setting.dtype_of(parameter) or "f32"
    if not parameter.is_array:
        return dtype
    sizes = [p.name for p in setting.kernel.parameters if not p.is_array and setting.dtype_of(p) in INTEGER_BITS]
    size = sizes[0] if sizes else "n"
    shape = f"[{size}][{sizes[1] if len(sizes) > 1 else size}]" if is_rows(parameter) else f"[{size}]"
    return f"{'in' if parameter.const else 'inout'} {dtype}{shape}"


def _check_types(draft: Draft, setting: Setting) -> None:
    of_type_parameter: dict[str, tuple[str, str]] = {}
    for name, entry in draft.entries.items():
        parameter = setting.kernel.parameter(name)
        if parameter is None or inexpressible(parameter):
            continue
        path: Path = ("args", name)
        arg = entry.arg
        _check_dtype(draft, setting, path, entry, parameter.base, setting.dtype_of(parameter))
        if parameter.base in setting.type_parameters and parameter.base not in setting.bound:
            first, dtype = of_type_parameter.setdefault(parameter.base, (name, arg.dtype))
            if dtype != arg.dtype:
                draft.report(
                    draft.toml.part_span(path, entry.text, *entry.dtype_at),
                    f"'{name}' and '{first}' have the same type {parameter.base}: {arg.dtype} here, {dtype} there",
                )
        shape = draft.toml.value_span(*path)
        if arg.is_array and not parameter.is_array and not parameter.reference:
            draft.report(shape, f"'{name}' is {parameter.type_text}, a scalar: write \"{arg.dtype}\"")
        elif not arg.is_array and parameter.is_array:
            example = _suggestion(parameter, setting)
            draft.report(shape, f"'{name}' is {parameter.type_text}, an array: expected \"{example}\"")
        elif arg.is_array and is_rows(parameter) and entry.groups != 2:
            draft.report(shape, f"'{name}' is {parameter.type_text}, an array of rows: expected {arg.dtype}[rows][n]")
        if arg.role is not Role.IN and arg.is_array and parameter.const:
            draft.report(
                shape,
                f"'{name}' is {parameter.type_text}, which the kernel can't write: "
                f"its role is in, not {arg.role.value}",
            )


def _check_dtype(draft: Draft, setting: Setting, path: Path, entry: Entry, base: str, expected: str | None) -> None:
    given = entry.arg.dtype
    span = draft.toml.part_span(path, entry.text, *entry.dtype_at)
    if expected is not None:
        # The signedness of a plain char is the compiler's choice.
        if given != expected and not (base == "char" and given in ("i8", "u8")):
            draft.report(span, f"'{path[-1]}' is {base} in the source, which is {expected}, not {given}")
        return
    if struct_of(setting.parsed, base) is not None:
        obstacle = struct_obstacle(setting.parsed, base)
        if obstacle:
            draft.report(
                span, f"struct {base} has the field '{obstacle}', which no contract can describe: not checkable"
            )
        elif given != base:
            draft.report(span, f"'{path[-1]}' is struct {base} in the source, not {given}: write {base}")
    elif given not in DTYPES and struct_layout(setting.parsed, given) is None:
        hint = near(given, DTYPES)
        draft.report(
            span,
            f"unknown dtype '{given}': expected one of {' '.join(DTYPES)}, "
            f"or a struct of plain fields of this file{hint}",
        )


def _check_return(draft: Draft, setting: Setting) -> None:
    entry = draft.entries.get(RETURN)
    if entry is None:
        return
    kernel, path = setting.kernel, ("args", RETURN)
    span = draft.toml.value_span(*path)
    if kernel.return_base in ("void", "") and not kernel.return_pointers:
        draft.report(span, f"{kernel.name} returns nothing: remove the entry")
        return
    if entry.arg.is_array != bool(kernel.return_pointers):
        shape = 'an array: expected "out f32[n]"' if kernel.return_pointers else 'a scalar: expected "f32"'
        draft.report(span, f"{kernel.name} returns {kernel.return_base}{'*' * kernel.return_pointers}, {shape}")
    elif entry.arg.is_array and entry.arg.role is not Role.OUT:
        draft.report(span, "a returned array has the role out")
    expected = setting.dtype_of_base(kernel.return_base)
    if kernel.return_base != "auto":
        _check_dtype(draft, setting, path, entry, kernel.return_base, expected)


def _bind(draft: Draft, setting: Setting) -> Contract:
    """Constants of the file put into expressions, args in parameter order, rows only where there are pointers."""
    contract = draft.contract

    def bound(expression: Expression | None) -> Expression | None:
        return expression.bind(setting.constants) if expression is not None else None

    def bound_arg(arg: Arg) -> Arg:
        parameter = setting.kernel.parameter(arg.name)
        return replace(
            arg,
            dims=tuple(dim.bind(setting.constants) for dim in arg.dims),
            rows=arg.rows and parameter is not None and is_rows(parameter),
            low=bound(arg.low),
            high=bound(arg.high),
        )

    names = [parameter.name for parameter in setting.kernel.parameters if parameter.name in contract.args]
    return replace(
        contract,
        args={name: bound_arg(contract.args[name]) for name in names},
        returns=bound_arg(contract.returns) if contract.returns is not None else None,
        check=replace(
            contract.check,
            where=bound(contract.check.where),
            globals={name: bound_arg(arg) for name, arg in contract.check.globals.items()},
        ),
        work=replace(contract.work, flops=bound(contract.work.flops), bytes=bound(contract.work.bytes)),
    )


def _scalars(contract: Contract, setting: Setting) -> dict[str, str]:
    """Scalar parameters and their dtypes; one whose type is unknown counts as an integer."""
    found: dict[str, str] = {}
    for parameter in setting.kernel.parameters:
        arg = contract.args.get(parameter.name)
        if parameter.is_array or (arg is not None and arg.is_array and parameter.reference):
            continue
        found[parameter.name] = (arg.dtype if arg is not None else setting.dtype_of(parameter)) or "i64"
    return found


def _check_names(draft: Draft, setting: Setting, contract: Contract, scalars: Mapping[str, str]) -> None:
    toml, kernel = draft.toml, setting.kernel
    integers = [name for name, dtype in scalars.items() if dtype in INTEGER_BITS or dtype == "bool"]
    arrays = [p.name for p in kernel.parameters if p.name not in scalars] + list(contract.check.globals)

    def unknown(path: Path, text: str, expression: Expression | None, known: Iterable[str], start: int = 0) -> None:
        choices = [*known]
        for name in sorted(expression.names - set(choices) if expression is not None else ()):
            match = re.search(rf"\b{re.escape(name)}\b", text[start:])
            at = start + match.start() if match else start
            why = "is no integer" if name in scalars else "is an array" if name in arrays else "is unknown"
            listed = f"the integer parameters are {', '.join(choices)}" if choices else "there is no integer parameter"
            draft.report(
                toml.part_span(path, text, at, at + len(name)), f"'{name}' {why} here: {listed}{near(name, choices)}"
            )

    entries = [(("args", name), entry) for name, entry in draft.entries.items()]
    entries += [(("check", "globals", name), entry) for name, entry in draft.globals.items()]
    for path, entry in entries:
        for part in entry.dims_at:
            unknown(path, entry.text, part.expression.bind(setting.constants), integers, part.start)
        for part in entry.bounds_at:
            unknown(path, entry.text, part.expression.bind(setting.constants), scalars, part.start)
    check = contract.check
    if check.where is not None:
        unknown(("check", "where"), check.where.text, check.where, scalars)
    for key, expression in (("flops", contract.work.flops), ("bytes", contract.work.bytes)):
        if expression is not None:
            unknown(("work", key), expression.text, expression, scalars)
    choices = [*scalars]
    listed = f"the scalar parameters are {', '.join(choices)}" if choices else f"{kernel.name} has no scalar parameter"
    for name, values in check.sizes.items():
        if name not in scalars:
            what = "is an array" if name in arrays else "is no size"
            hint = near(name, [*choices, *CHECK_KEYS])
            draft.report(toml.key_span("check", name), f"'{name}' {what}: {listed}{hint}")
        else:
            check_list(draft, name, scalars[name], values, contract.args.get(name))
    for point, base in time_points(draft, contract):
        for name in point:
            if name not in scalars:
                draft.report(toml.key_span(*base, name), f"'{name}' is no size: {listed}{near(name, choices)}")
    outputs = [name for name, arg in contract.args.items() if arg.role in (Role.OUT, Role.INOUT)]
    outputs += [name for name, arg in check.globals.items() if arg.role in (Role.OUT, Role.INOUT)]
    for name in check.tolerance_of:
        if name not in outputs and name != RETURN and contract.args:
            draft.report(
                toml.key_span("check", "tolerance", name),
                f"'{name}' is no output: {', '.join([*outputs, RETURN])} may have a tolerance{near(name, outputs)}",
            )
    for index, group in enumerate(check.overlap):
        for position, name in enumerate(group):
            if name not in arrays:
                draft.report(
                    toml.value_span("check", "overlap", index, position),
                    f"'{name}' is no array: the arrays are {', '.join(arrays) or 'none'}{near(name, arrays)}",
                )
    if check.overlap and check.no_overlap:
        draft.report(toml.key_span("check", "no_overlap"), "overlap and no_overlap contradict each other: keep one")
    declared = file_scope_names(setting.parsed) if draft.globals else frozenset[str]()
    for name in draft.globals:
        if name not in declared:
            draft.report(
                toml.key_span("check", "globals", name),
                f"this file declares no variable '{name}' outside a function{near(name, sorted(declared))}",
                Severity.WARNING,
            )


def _check_functions(draft: Draft, setting: Setting) -> None:
    check = draft.contract.check
    if check.setup is None and check.reference is None:
        return
    names = list(function_names(setting.parsed))
    for key, name in (("setup", check.setup), ("reference", check.reference)):
        if name is not None and name.rsplit("::", 1)[-1] not in names:
            draft.report(
                draft.toml.value_span("check", key), f"this file defines no function '{name}'{near(name, names)}"
            )
