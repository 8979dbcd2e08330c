"""``infer`` and ``completed``: contracts from a kernel's loops, alone or around what somebody has written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from kernwright.c_types import struct_layout, struct_obstacle
from kernwright.contract import INTEGER_BITS, Arg, Build, Check, Contract, Origin, Role, TimePoint, Work
from kernwright.contract_text.setting import Setting, inexpressible, is_rows, setting_of
from kernwright.contract_text.template import BadInstantiation, template_parameters
from kernwright.expression import Expression, parse_expression
from kernwright.infer.conclude import conclude, indices_of
from kernwright.infer.places import Unsupported
from kernwright.infer.program import program_of
from kernwright.infer.samples import Samples, take_samples
from kernwright.infer.shape import Blank, Shape, alike, shape_of
from kernwright.infer.sizes import default_list, default_time
from kernwright.infer.work import work_of
from kernwright.kernel import Kernel, Parameter
from kernwright.loops.model import Nest


@dataclass
class _Findings:
    """What could be told of a kernel. ``asks`` has a question for each parameter that could not."""

    args: dict[str, Arg] = field(default_factory=dict[str, Arg])
    globals: dict[str, Arg] = field(default_factory=dict[str, Arg])
    asks: dict[str, str] = field(default_factory=dict[str, str])
    where: tuple[str, ...] = ()
    work: Work = field(default_factory=Work)


def infer(nest: Nest) -> Contract:
    """The contract that the source implies; ``asks`` holds what it leaves open."""
    return completed(None, nest)


def completed(written: Contract | None, nest: Nest) -> Contract:
    """A written contract with everything that it leaves out; what is written is never changed."""
    base = written if written is not None else Contract({}, origin=Origin.INFERRED)
    setting = _setting(nest, base)
    findings = _find(nest, setting, base)
    kernel = nest.kernel
    args = {
        parameter.name: arg
        for parameter in kernel.parameters
        if (arg := base.args.get(parameter.name) or findings.args.get(parameter.name)) is not None
    }
    asks = [question for name, question in findings.asks.items() if name not in base.args]
    returns = base.returns
    if returns is None and (kernel.return_base not in ("void", "") or kernel.return_pointers):
        returns, question = _returned(kernel, setting)
        asks += [question] if question else []
    check = base.check
    if not check.globals and findings.globals:
        check = replace(check, globals=findings.globals)
    if not check.sizes and check.where is None and findings.where:
        check = replace(check, where=parse_expression(" and ".join(findings.where)))
    check = _with_sizes(check, args, returns, nest)
    counted = base.work.flops_counted or base.work.flops is None
    work = Work(base.work.flops or findings.work.flops, base.work.bytes or findings.work.bytes, counted)
    untold = [p for p in kernel.parameters if p.name not in base.args]
    origin = base.origin if written is not None and not untold else Origin.INFERRED
    contract = replace(base, args=args, returns=returns, check=check, work=work, origin=origin, asks=tuple(asks))
    contract = replace(contract, build=_instantiated(contract, setting, kernel))
    return replace(contract, time=_times(contract, nest))


def _setting(nest: Nest, base: Contract) -> Setting:
    try:
        setting = setting_of(nest.parsed, nest.kernel, base.build.instantiate)
    except BadInstantiation:
        setting = setting_of(nest.parsed, nest.kernel, None)
    # The dtype that a contract gives to a parameter of type T says what T is.
    bound = dict(setting.bound)
    for parameter in nest.kernel.parameters:
        arg = base.args.get(parameter.name)
        if parameter.base in setting.type_parameters and arg is not None:
            bound.setdefault(parameter.base, _C_NAMES.get(arg.dtype, arg.dtype))
    return replace(setting, bound=bound)


_C_NAMES = {
    "f32": "float", "f64": "double", "f16": "_Float16", "bf16": "__bf16", "bool": "bool",
    "i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "i64": "int64_t",
    "u8": "uint8_t", "u16": "uint16_t", "u32": "uint32_t", "u64": "uint64_t",
}  # fmt: skip


def _find(nest: Nest, setting: Setting, base: Contract) -> _Findings:
    kernel = nest.kernel
    findings = _Findings()
    arrays: list[Parameter] = []
    for parameter in kernel.parameters:
        name = parameter.name or parameter.text
        obstacle = inexpressible(parameter)
        dtype = setting.dtype_of(parameter)
        if dtype is None and struct_layout(nest.parsed, parameter.base):
            dtype = parameter.base
        if obstacle:
            findings.asks[name] = f"{obstacle}, which no contract can describe: {kernel.name} is not checkable"
        elif dtype is None:
            findings.asks[name] = _dtype_question(parameter, setting)
        elif parameter.is_array or (parameter.reference and not parameter.const):
            arrays.append(parameter)
        else:
            findings.args[name] = Arg(name, Role.SCALAR, dtype)
    reason = _follow(nest, setting, arrays, findings, base.check.setup is not None)
    if reason is not None:
        for parameter in arrays:
            findings.asks.setdefault(
                parameter.name,
                f"How many elements does '{parameter.name}' have, and is it read or written? Not followed: {reason}",
            )
    return findings


def _dtype_question(parameter: Parameter, setting: Setting) -> str:
    base = parameter.base
    if base in setting.type_parameters:
        return f"Which type is '{base}', and so which dtype has '{parameter.name}'? It is a template parameter"
    obstacle = struct_obstacle(setting.parsed, base)
    if obstacle:
        return f"'{parameter.name}' points to {base}, whose field '{obstacle}' no contract can describe: not checkable"
    if base == "void":
        return f"Which dtype do the elements of '{parameter.name}' have? It is {parameter.type_text}"
    return f"Which dtype does '{parameter.name}' have? This file does not say what {base} is"


def _follow(nest: Nest, setting: Setting, arrays: list[Parameter], findings: _Findings, has_setup: bool) -> str | None:
    """Interpret the kernel and write down what that shows; the reason when it cannot be followed. Tables that a
    ``setup`` may have made are no inputs."""
    program = program_of(nest.parsed, nest.kernel, setting)
    try:
        samples = take_samples(program, nest)
    except Unsupported as error:
        return str(error)
    except RecursionError:
        return "its expressions are nested too deeply"
    if samples is None:
        return "its loops do not end within the steps allowed"
    if not any(sample.run is not None for sample in samples.generic):
        return "it divides by zero or wraps around at every size tried"
    shapes: dict[str, Shape] = {}
    file_scope = [name for name in _touched_globals(samples) if not has_setup or _is_written(samples, name)]
    for name in [*(parameter.name for parameter in arrays), *file_scope]:
        escapes = _escapes(samples, name)
        shape = shape_of(name, samples, nest)
        if escapes:
            findings.asks[name] = (
                f"How many elements does '{name}' have, and is it read or written? "
                f"It is handed to {escapes}, whose body is not in this file"
            )
        elif isinstance(shape, Blank):
            findings.asks[name] = f"How many elements does '{name}' have? Its size is not known: {shape.reason}"
        else:
            shapes[name] = shape
    shapes = alike(shapes)
    uses = conclude(samples, shapes)
    indices = indices_of(samples, shapes)
    for name, shape in shapes.items():
        arg = _array_arg(name, shape, uses.roles[name], samples, indices.bounds.get(name))
        if name in indices.open:
            findings.asks[name] = (
                f"Which values may the elements of '{name}' have? They are used as indices of '{indices.open[name]}'"
            )
        if nest.kernel.parameter(name) is None:
            findings.globals[name] = arg
        else:
            findings.args[name] = arg
    findings.where = tuple(dict.fromkeys((*uses.where, *indices.needs)))
    if not findings.asks:
        findings.work = work_of(samples, shapes, findings.args)
    return None


def _touched_globals(samples: Samples) -> list[str]:
    touched = {name for sample in samples.taken if sample.run is not None for name in sample.run.footprints}
    return [name for name in samples.program.globals if name in touched and samples.program.dtypes.get(name)]


def _is_written(samples: Samples, name: str) -> bool:
    runs = (sample.run for sample in samples.taken if sample.run is not None)
    return any(name in run.footprints and run.footprints[name].writes for run in runs)


def _escapes(samples: Samples, region: str) -> str:
    names = {
        name
        for sample in samples.taken
        if sample.run is not None and region in sample.run.footprints
        for name in sample.run.footprints[region].escapes
    }
    return " and ".join(sorted(names))


def _array_arg(name: str, shape: Shape, role: Role, samples: Samples, bounds: tuple[str, str] | None) -> Arg:
    program = samples.program
    parameter = program.kernel.parameter(name)
    dtype = program.dtypes.get(name) or (parameter.base if parameter is not None else "")
    return Arg(
        name=name,
        role=role,
        dtype=dtype,
        dims=tuple(dim.with_constants(samples.constants).expression for dim in shape.dims),
        rows=parameter is not None and is_rows(parameter),
        low=parse_expression(bounds[0]) if bounds else None,
        high=parse_expression(bounds[1]) if bounds else None,
    )


def _returned(kernel: Kernel, setting: Setting) -> tuple[Arg | None, str | None]:
    if kernel.return_pointers:
        return None, f"How many elements does the array have that {kernel.name} returns? The entry is 'return'"
    dtype = setting.dtype_of_base(kernel.return_base)
    if dtype is None:
        return None, f"Which dtype does {kernel.name} return? This file does not say what {kernel.return_base} is"
    return Arg("return", Role.SCALAR, dtype), None


def _size_names(args: Mapping[str, Arg], check: Check, returns: Arg | None, nest: Nest) -> list[str]:
    """Integer scalars that dimensions, conditions or the ends of loops name, in the order of the parameters."""
    used: set[str] = set(check.where.names) if check.where is not None else set()
    for arg in (*args.values(), *check.globals.values(), *([returns] if returns is not None else [])):
        used |= {name for dim in arg.dims for name in dim.names}
    for loop in nest.loops:
        for end in (loop.lower, loop.upper):
            used |= end.names if end is not None else frozenset()
    return [name for name, arg in args.items() if not arg.is_array and arg.dtype in INTEGER_BITS and name in used]


def _with_sizes(check: Check, args: Mapping[str, Arg], returns: Arg | None, nest: Nest) -> Check:
    listed = dict(check.sizes)
    entries = list(args.values())
    for name in _size_names(args, check, returns, nest):
        if name not in listed:
            listed[name] = _bounded(default_list(name, entries, nest, check.where), args[name])
    return replace(check, sizes=listed)


def _bounded(values: tuple[int | float, ...], arg: Arg) -> tuple[int | float, ...]:
    """Values that the bounds of the scalar's own entry admit, where those are constants."""
    ends: list[int | float | None] = []
    for end in (arg.low, arg.high):
        ends.append(_constant(end))
    low, high = ends
    admitted = tuple(v for v in values if (low is None or v >= low) and (high is None or v <= high))
    return admitted or tuple(end for end in (low, high) if end is not None)[:1] or values


def _constant(expression: Expression | None) -> int | float | None:
    return expression.evaluate({}) if expression is not None and not expression.names else None


def _times(contract: Contract, nest: Nest) -> tuple[TimePoint, ...]:
    entries = list(contract.args.values())
    names = _size_names(contract.args, contract.check, contract.returns, nest)
    defaults = {
        name: _bounded((default_time(name, entries, nest, contract.check.where),), contract.args[name])[0]
        for name in names
    }
    points = contract.time or (TimePoint({}),)
    return tuple(replace(point, values={**defaults, **point.values}) for point in points)


def _instantiated(contract: Contract, setting: Setting, kernel: Kernel) -> Build:
    """[build] with `instantiate` for a template whose arguments all follow from the dtypes of its parameters."""
    parameters = template_parameters(kernel)
    if not parameters or contract.build.instantiate is not None:
        return contract.build
    if not all(parameter.name in setting.bound for parameter in parameters):
        return contract.build
    arguments = ", ".join(setting.bound[parameter.name] for parameter in parameters)
    return replace(contract.build, instantiate=f"{kernel.qualified}<{arguments}>")
