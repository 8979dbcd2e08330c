"""Kernels of the workspaces that the tests open in VS Code, beside those of the other editors' tests."""

from __future__ import annotations

from ..editors.kernels import DOT, RULE, SHRINK, STATEMENT, place_of

__all__ = ["DOT", "GATHER", "MATMUL", "RULE", "SCALE", "SHRINK", "STATEMENT", "place_of"]

SCALE = """\
void scale(int n, float a, float *x)
{
    for (int i = 0; i < n; i++)
        x[i] = a * x[i];
}
"""
"""It has no contract, and all that one has to say can be inferred."""

GATHER = """\
float gather(int n, const int *index, const float *x)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += x[index[i]];
    return sum;
}
"""
"""No contract can be inferred: how long ``x`` is has to be said."""

MATMUL = """\
/* kernwright
[args]
n = "i32"
a = "in f32[n, n] in -1..1"
b = "in f32[n, n] in -1..1"
c = "out f32[n, n]"
[check]
n = [1, 2, 5, 33]
tolerance = {rel = 1e-3, abs = 1e-3}
[time]
n = 384
*/
void multiply(int n, const float *restrict a, const float *restrict b, float *restrict c)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0.0f;
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}
"""
"""There is much to try with it, and each call takes long, so that a search takes its time."""
