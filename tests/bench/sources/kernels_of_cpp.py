"""Kernels of C++: templates, containers, spans, lambdas and classes, and plain ones within namespaces."""

from __future__ import annotations

from .draw import DTYPES, FLOATS, Draw, Maker, contract, loop
from .kernels_of_c import axpy, extreme, gather, matmul, prefix, stencil

HEAD = """\
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>
"""


def within_namespace(maker: Maker) -> Maker:
    def made(draw: Draw, name: str) -> list[str]:
        return [f"namespace library::{name} {{", "", *maker(draw, name), "", f"}} // namespace library::{name}"]

    return made


def template_sum(draw: Draw, name: str) -> list[str]:
    return [
        "template <typename T>",
        f"T sum_{name}(std::span<const T> x, int n)",
        "{",
        "    T sum{};",
        loop(draw, "    "),
        f"        sum += x[i] * static_cast<T>({draw.constant('double')});",
        "    return sum;",
        "}",
        "",
        f"template float sum_{name}<float>(std::span<const float>, int);",
        f"template double sum_{name}<double>(std::span<const double>, int);",
    ]


def vector_scale(draw: Draw, name: str) -> list[str]:
    kind = draw.one(FLOATS)
    entries = [f'x = "in {DTYPES[kind]}[n]"', f'y = "inout {DTYPES[kind]}[n]"']
    return [
        *contract(draw, entries),
        f"void scale_{name}(int n, const std::vector<{kind}> &x, std::vector<{kind}> &y)",
        "{",
        loop(draw, "    "),
        f"        y[i] = std::max<{kind}>(y[i], x[i] * {draw.constant(kind)});",
        "}",
    ]


def transform(draw: Draw, name: str) -> list[str]:
    kind = draw.one(FLOATS)
    call = draw.one(
        ("std::sqrt(std::abs(v))", "std::exp(-v)", f"v * v + {kind}({draw.constant(kind)})", "std::tanh(v)")
    )
    return [
        f"std::vector<{kind}> mapped_{name}(const std::vector<{kind}> &x, int n)",
        "{",
        f"    std::vector<{kind}> result(static_cast<std::size_t>(n));",
        f"    std::transform(x.begin(), x.begin() + n, result.begin(), []({kind} v) {{ return {call}; }});",
        "    return result;",
        "}",
    ]


def fixed_matrix(draw: Draw, name: str) -> list[str]:
    kind = draw.one(FLOATS)
    size = draw.number(3, 8)
    matrix = f"std::array<std::array<{kind}, {size}>, {size}>"
    return [
        f"using matrix_{name} = {matrix};",
        "",
        f"void multiply_{name}(int n, const matrix_{name} *a, const matrix_{name} *b, matrix_{name} *c)",
        "{",
        loop(draw, "    ", "m"),
        f"        for (int i = 0; i < {size}; ++i)",
        f"            for (int j = 0; j < {size}; ++j) {{",
        f"                {kind} sum = 0;",
        f"                for (int k = 0; k < {size}; ++k)",
        "                    sum += a[m][i][k] * b[m][k][j];",
        f"                c[m][i][j] = sum * {kind}({draw.constant(kind)});",
        "            }",
        "}",
    ]


def filter_class(draw: Draw, name: str) -> list[str]:
    kind = draw.one(FLOATS)
    return [
        f"class Filter_{name} {{",
        "public:",
        f"    explicit Filter_{name}(std::vector<{kind}> taps) : taps_(std::move(taps)) {{}}",
        "",
        f"    void apply(int n, std::span<const {kind}> x, std::span<{kind}> y) const",
        "    {",
        "        const int width = static_cast<int>(taps_.size());",
        loop(draw, "        ", end="n - width") + " {",
        f"            {kind} value = {draw.constant(kind)};",
        loop(draw, "            ", "k", "width"),
        "                value += taps_[k] * x[i + k];",
        "            y[i] = value;",
        "        }",
        "    }",
        "",
        "private:",
        f"    std::vector<{kind}> taps_;",
        "};",
    ]


def counts(draw: Draw, name: str) -> list[str]:
    kind = draw.one(("int", "unsigned", "std::int64_t"))
    return [
        f"std::unordered_map<{kind}, int> counted_{name}(const std::vector<{kind}> &keys, int n)",
        "{",
        f"    std::unordered_map<{kind}, int> counts;",
        loop(draw, "    "),
        f"        ++counts[keys[i] % {draw.number(3, 99)}];",
        "    return counts;",
        "}",
    ]


def accumulate(draw: Draw, name: str) -> list[str]:
    kind = draw.one(FLOATS)
    return [
        f"double variance_{name}(const std::vector<{kind}> &x, int n)",
        "{",
        f"    const double mean = std::accumulate(x.begin(), x.end(), {draw.constant(kind)}) / n;",
        "    double sum = 0.0;",
        f"    for (const {kind} value : x)",
        "        sum += (value - mean) * (value - mean);",
        f"    return sum / std::max(n, {draw.number(1, 9)});",
        "}",
    ]


def policy(draw: Draw, name: str) -> list[str]:
    kind = draw.one(FLOATS)
    return [
        f"struct Clamped_{name} {{",
        f"    static constexpr {kind} low = -{draw.constant(kind)};",
        f"    static constexpr {kind} high = {draw.constant(kind)};",
        f"    {kind} operator()({kind} v) const {{ return std::clamp(v, low, high); }}",
        "};",
        "",
        "template <typename Policy, typename T>",
        f"void each_{name}(int n, T *x, Policy policy = {{}})",
        "{",
        loop(draw, "    "),
        "        x[i] = policy(x[i]);",
        "}",
        "",
        f"template void each_{name}<Clamped_{name}, {kind}>(int, {kind} *, Clamped_{name});",
    ]


MAKERS: tuple[Maker, ...] = (
    *(template_sum, vector_scale, transform, fixed_matrix, filter_class, counts, accumulate, policy),
    *map(within_namespace, (vector_scale, stencil, axpy, matmul, prefix, gather, extreme)),
)
