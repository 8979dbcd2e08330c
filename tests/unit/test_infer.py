"""What inference makes of the kernels that people write: arguments, legal sizes, and the questions it leaves open."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from contract_samples import CASES

from kernwright.contract import Contract, Origin
from kernwright.contract_text import read_contract
from kernwright.infer import agrees, completed, contradictions, infer, render
from kernwright.kernel import find_functions
from kernwright.loops import analyse
from kernwright.syntax import Language, parse
from kernwright.text import Snapshot


@cache
def inferred(source: str) -> Contract:
    cpp = "template" in source or "std::" in source or "&" in source.partition("{")[0]
    parsed = parse(Snapshot(Path("case"), source.encode()), Language.CPP if cpp else Language.C)
    return infer(analyse(parsed, find_functions(parsed)[-1]))


# Source, then the entries of its arrays in order; `?` is a question; `where` stands after a bar.
KERNELS: dict[str, tuple[str, str]] = {
    "saxpy": (
        "void f(int n, float a, const float *x, float *y) { for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i]; }",
        "in f32[n]; inout f32[n]",
    ),
    "dot": (
        "float f(int n, const float *x, const float *y) {"
        " float s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s; }",
        "in f32[n]; in f32[n]",
    ),
    "fill": ("void f(float *y, size_t n, float v) { for (size_t i = 0; i < n; ++i) y[i] = v; }", "out f32[n]"),
    "scaled in place": ("void f(double *x, long n) { for (long i = 0; i < n; i++) x[i] *= 2; }", "inout f64[n]"),
    "matvec": (
        "void f(int m, int n, const float *a, const float *x, float *y) { for (int i = 0; i < m; i++) {"
        " float s = 0; for (int j = 0; j < n; j++) s += a[i * n + j] * x[j]; y[i] = s; } }",
        "in f32[m, n]; in f32[n]; out f32[m]",
    ),
    "matvec zeroed in memory": (
        "void f(int m, int n, const float *a, const float *x, float *y) { for (int i = 0; i < m; i++) {"
        " y[i] = 0; for (int j = 0; j < n; j++) y[i] += a[i * n + j] * x[j]; } }",
        "in f32[m, n]; in f32[n]; out f32[m]",
    ),
    "gemm": (
        "void f(int m, int n, int k, float alpha, float beta, const float *a, const float *b, float *c) {"
        " for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) { float s = 0;"
        " for (int p = 0; p < k; p++) s += a[i * k + p] * b[p * n + j];"
        " c[i * n + j] = alpha * s + beta * c[i * n + j]; } }",
        "in f32[m, k]; in f32[k, n]; inout f32[m, n]",
    ),
    "gemm with leading dimensions": (
        "void f(int m, int n, int k, const double *a, int lda, const double *b, int ldb, double *c, int ldc) {"
        " for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) { double s = 0;"
        " for (int p = 0; p < k; p++) s += a[i * lda + p] * b[p * ldb + j]; c[i * ldc + j] += s; } }",
        "in f64[m, lda]; in f64[k, ldb]; inout f64[m, ldc] | lda >= k and ldb >= n and ldc >= n",
    ),
    "transpose": (
        "void f(int m, int n, const float *a, float *b) {"
        " for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) b[j * m + i] = a[i * n + j]; }",
        "in f32[m, n]; out f32[n, m]",
    ),
    "transpose in place": (
        "void f(int n, float *a) { for (int i = 0; i < n; i++) for (int j = i + 1; j < n; j++) {"
        " float t = a[i * n + j]; a[i * n + j] = a[j * n + i]; a[j * n + i] = t; } }",
        "inout f32[n, n]",
    ),
    "convolution": (
        "void f(int n, int k, const float *x, const float *h, float *y) {"
        " for (int i = 0; i < n; i++) { float s = 0; for (int j = 0; j < k; j++) s += x[i + j] * h[j]; y[i] = s; } }",
        "in f32[k + n - 1]; in f32[k]; out f32[n] | n >= 1",
    ),
    "valid convolution": (
        "void f(int n, int k, const float *x, const float *h, float *y) { for (int i = 0; i < n - k + 1; i++) {"
        " float s = 0; for (int j = 0; j < k; j++) s += x[i + j] * h[j]; y[i] = s; } }",
        "in f32[n]; in f32[k]; out f32[n - k + 1] | n >= k",
    ),
    "convolution in two dimensions": (
        "void f(int h, int w, const float *x, const float *k, float *y) {"
        " for (int i = 0; i < h; i++) for (int j = 0; j < w; j++) { float s = 0;"
        " for (int u = 0; u < 3; u++) for (int v = 0; v < 3; v++)"
        " s += x[(i + u) * (w + 2) + j + v] * k[u * 3 + v]; y[i * w + j] = s; } }",
        "in f32[h + 2, w + 2]; in f32[9]; out f32[h, w]",
    ),
    "stencil of three": (
        "void f(int n, const float *x, float *y) {"
        " for (int i = 1; i < n - 1; i++) y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3; }",
        "in f32[n]; inout f32[n]",
    ),
    "stencil of five": (
        "void f(int m, int n, const float *a, float *b) {"
        " for (int i = 1; i < m - 1; i++) for (int j = 1; j < n - 1; j++) b[i * n + j] = 0.2f * (a[i * n + j]"
        " + a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1]); }",
        "in f32[m, n]; inout f32[m, n]",
    ),
    "stencil in place": (
        "void f(int n, float *a) { for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++)"
        " a[i * n + j] = 0.25f * (a[(i-1)*n + j] + a[(i+1)*n + j] + a[i*n + j-1] + a[i*n + j+1]); }",
        "inout f32[n, n]",
    ),
    "stencil in three dimensions": (
        "void f(int d, int h, int w, const float *a, float *b) { for (int k = 1; k < d - 1; k++)"
        " for (int i = 1; i < h - 1; i++) for (int j = 1; j < w - 1; j++)"
        " b[(k * h + i) * w + j] = a[(k * h + i) * w + j - 1] + a[(k * h + i + 1) * w + j]"
        " + a[((k + 1) * h + i) * w + j] + a[((k - 1) * h + i) * w + j]; }",
        "in f32[d, h, w]; inout f32[d, h, w]",
    ),
    "border written too": (
        "void f(int n, const float *x, float *y) { y[0] = x[0]; y[n - 1] = x[n - 1];"
        " for (int i = 1; i < n - 1; i++) y[i] = x[i - 1] + x[i + 1]; }",
        "in f32[n]; out f32[n] | n >= 1",
    ),
    "border by a test": (
        "void f(int n, const float *x, float *y) { for (int i = 0; i < n; i++)"
        " if (i == 0 || i == n - 1) y[i] = 0; else y[i] = x[i - 1] + x[i + 1]; }",
        "in f32[n]; out f32[n]",
    ),
    "prefix sum": (
        "void f(int n, const int *x, int *y) { y[0] = x[0]; for (int i = 1; i < n; i++) y[i] = y[i - 1] + x[i]; }",
        "in i32[n]; out i32[n] | n >= 1",
    ),
    "recurrence": (
        "void f(int n, const float *x, float *y) { for (int i = 1; i < n; i++) y[i] = y[i - 1] * x[i]; }",
        "in f32[n]; inout f32[n]",
    ),
    "shift": ("void f(int n, float *a) { for (int i = 0; i < n; i++) a[i] = a[i + 1]; }", "inout f32[n + 1]"),
    "two statements": (
        "void f(int n, const int *b, int *a) { for (int i = 0; i < n; i++) { a[i] = b[i]; a[i + 1] = 0; } }",
        "in i32[n]; out i32[n + 1] | n >= 1",
    ),
    "mvt": (
        "void f(int n, float *x1, float *x2, const float *y1, const float *y2, const float *a) {"
        " for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) x1[i] += a[i * n + j] * y1[j];"
        " for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) x2[i] += a[j * n + i] * y2[j]; }",
        "inout f32[n]; inout f32[n]; in f32[n]; in f32[n]; in f32[n, n]",
    ),
    "atax": (
        "void f(int m, int n, const double *a, const double *x, double *y, double *tmp) {"
        " for (int i = 0; i < n; i++) y[i] = 0; for (int i = 0; i < m; i++) { tmp[i] = 0;"
        " for (int j = 0; j < n; j++) tmp[i] = tmp[i] + a[i * n + j] * x[j];"
        " for (int j = 0; j < n; j++) y[j] = y[j] + a[i * n + j] * tmp[i]; } }",
        "in f64[m, n]; in f64[n]; out f64[n]; out f64[m]",
    ),
    "triangular solve": (
        "void f(int n, const double *l, const double *b, double *x) { for (int i = 0; i < n; i++) {"
        " double s = b[i]; for (int j = 0; j < i; j++) s -= l[i * n + j] * x[j]; x[i] = s / l[i * n + i]; } }",
        "in f64[n, n]; in f64[n]; out f64[n]",
    ),
    "lower triangle": (
        "void f(int n, float *c) { for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) c[i * n + j] = 0; }",
        "inout f32[n, n]",
    ),
    "packed triangle": (
        "void f(int n, const float *p, float *d) { for (int i = 0; i < n; i++) d[i] = p[i * (i + 1) / 2 + i]; }",
        "in f32[(n*n + n)/2]; out f32[n]",
    ),
    "strided": (
        "void f(int n, float a, const float *x, int incx, float *y, int incy) {"
        " for (int i = 0; i < n; i++) y[i * incy] += a * x[i * incx]; }",
        "in f32[incx*n - incx + 1]; inout f32[incy*n - incy + 1] | n >= 1",
    ),
    "strided by counters": (
        "float f(int n, const float *x, int incx) { float s = 0; int ix = 0;"
        " for (int i = 0; i < n; i++) { s += x[ix]; ix += incx; } return s; }",
        "in f32[incx*n - incx + 1] | n >= 1",
    ),
    "histogram": (
        "void f(int n, const unsigned char *x, int *h) { for (int i = 0; i < n; i++) h[x[i]]++; }",
        "in u8[n]; inout i32[256]",
    ),
    "histogram from nothing": (
        "void f(int n, int m, const int *x, int *h) {"
        " for (int i = 0; i < m; i++) h[i] = 0; for (int i = 0; i < n; i++) h[x[i]] += 1; }",
        "in i32[n] in 0..m - 1; out i32[m] | m >= 1",
    ),
    "sixteen bins": (
        "void f(int n, const unsigned char *x, int *h) { for (int i = 0; i < n; i++) h[x[i] & 15]++; }",
        "in u8[n]; inout i32[16]",
    ),
    "gather": (
        "void f(int n, const float *x, const int *idx, float *y) { for (int i = 0; i < n; i++) y[i] = x[idx[i]]; }",
        "?; in i32[n]; out f32[n]",
    ),
    "gather within": (
        "float f(int n, int m, const float *x, const int *idx) { float s = 0;"
        " for (int i = 0; i < m; i++) s += x[i]; for (int i = 0; i < n; i++) s += x[idx[i]]; return s; }",
        "in f32[m]; in i32[n] in 0..m - 1 | m >= 1",
    ),
    "scatter": (
        "void f(int n, const int *idx, const float *x, float *y) { for (int i = 0; i < n; i++) y[idx[i]] = x[i]; }",
        "in i32[n]; in f32[n]; ?",
    ),
    "sparse rows": (
        "void f(int m, const int *row, const int *col, const double *val, const double *x, double *y) {"
        " for (int i = 0; i < m; i++) { double s = 0;"
        " for (int k = row[i]; k < row[i + 1]; k++) s += val[k] * x[col[k]]; y[i] = s; } }",
        "in i32[m + 1]; ?; ?; ?; out f64[m]",
    ),
    "interleaved": (
        "void f(int n, const float *x, float *y) {"
        " for (int i = 0; i < n; i++) y[i] = x[2 * i] * x[2 * i] + x[2 * i + 1] * x[2 * i + 1]; }",
        "in f32[2*n]; out f32[n]",
    ),
    "real parts": (
        "void f(int n, const float *x, float *y) { for (int i = 0; i < n; i++) y[i] = x[2 * i]; }",
        "in f32[2*n]; out f32[n]",
    ),
    "pixels": (
        "void f(int n, const unsigned char *p, unsigned char *g) {"
        " for (int i = 0; i < n; i++) g[i] = (p[3 * i] + p[3 * i + 1] + p[3 * i + 2]) / 3; }",
        "in u8[3*n]; out u8[n]",
    ),
    "reversed": (
        "void f(int n, const float *x, float *y) { for (int i = 0; i < n; i++) y[i] = x[n - 1 - i]; }",
        "in f32[n]; out f32[n]",
    ),
    "backwards": (
        "void f(int n, const float *x, float *y) { for (int i = n - 1; i >= 0; i--) y[i] = x[i]; }",
        "in f32[n]; out f32[n]",
    ),
    "unsigned backwards": (
        "void f(size_t n, const float *x, float *y) { for (size_t i = n; i-- > 0;) y[i] = x[i]; }",
        "in f32[n]; out f32[n]",
    ),
    "step of two": (
        "void f(int n, float *x) { for (int i = 0; i < n; i += 2) x[i] = 0; }",
        "inout f32[n]",
    ),
    "pairs": (
        "void f(int n, const float *x, float *y) {"
        " for (int i = 0; i < n; i += 2) { y[i] = x[i + 1]; y[i + 1] = x[i]; } }",
        "in f32[n]; out f32[n] | n % 2 == 0",
    ),
    "pairs and half": (
        "void f(int n, const float *x, float *y) { for (int i = 0; i < n / 2; i++) y[i] = x[2 * i] + x[2 * i + 1]; }",
        "in f32[n]; out f32[n/2]",
    ),
    "unrolled with a tail": (
        "float f(int n, const float *x) { float s = 0; int i = 0; for (; i + 4 <= n; i += 4)"
        " s += x[i] + x[i + 1] + x[i + 2] + x[i + 3]; for (; i < n; i++) s += x[i]; return s; }",
        "in f32[n]",
    ),
    "while": (
        "void f(int n, const float *x, float *y) { int i = 0; while (i < n) { y[i] = x[i]; i++; } }",
        "in f32[n]; out f32[n]",
    ),
    "do": ("void f(int n, float *y) { int i = 0; do { y[i] = 0; } while (++i < n); }", "out f32[n] | n >= 1"),
    "pointers that step": (
        "void f(int n, const float *x, float *y) { while (n--) *y++ = *x++; }",
        "in f32[n]; out f32[n]",
    ),
    "pointer to an end": (
        "float f(const float *x, int n) {"
        " float s = 0; const float *e = x + n; for (; x != e; ++x) s += *x; return s; }",
        "in f32[n]",
    ),
    "row pointers": (
        "void f(int m, int n, float *a) { for (int i = 0; i < m; i++) { float *row = a + i * n;"
        " for (int j = 0; j < n; j++) row[j] += 1; } }",
        "inout f32[m, n]",
    ),
    "address of a row": (
        "void f(int m, int n, const float *a, float *s) { for (int i = 0; i < m; i++) {"
        " const float *row = &a[i * n]; s[i] = 0; for (int j = 0; j < n; j++) s[i] += row[j]; } }",
        "in f32[m, n]; out f32[m]",
    ),
    "array of rows": (
        "void f(int m, int n, float **a, const float *x) {"
        " for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) a[i][j] *= x[j]; }",
        "inout f32[m][n]; in f32[n]",
    ),
    "fixed rows": (
        "#define N 16\nvoid f(int m, const float a[][N], float s[]) {"
        " for (int i = 0; i < m; i++) { s[i] = 0; for (int j = 0; j < N; j++) s[i] += a[i][j]; } }",
        "in f32[m, 16]; out f32[m]",
    ),
    "variable rows": (
        "void f(int m, int n, double a[m][n], double b[n][m]) {"
        " for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) b[j][i] = a[i][j]; }",
        "in f64[m, n]; out f64[n, m]",
    ),
    "long constants": (
        "#define N 512\nvoid f(float a[N][N], float b[N][N], float c[N][N]) { for (int i = 0; i < N; i++)"
        " for (int j = 0; j < N; j++) { c[i][j] = 0; for (int k = 0; k < N; k++) c[i][j] += a[i][k] * b[k][j]; } }",
        "in f32[512, 512]; in f32[512, 512]; out f32[512, 512]",
    ),
    "long flat constants": (
        "enum { N = 1024 }; void f(const float *a, float *b) { for (int i = 0; i < N; i++)"
        " for (int j = 0; j < N; j++) b[i * N + j] = a[j * N + i]; }",
        "in f32[1024, 1024]; out f32[1024, 1024]",
    ),
    "tiles": (
        "void f(int n, const float *a, float *b) { for (int ii = 0; ii < n; ii += 4) for (int jj = 0; jj < n; jj += 4)"
        " for (int i = ii; i < (ii + 4 < n ? ii + 4 : n); i++) for (int j = jj; j < (jj + 4 < n ? jj + 4 : n); j++)"
        " b[j * n + i] = a[i * n + j]; }",
        "in f32[n, n]; out f32[n, n]",
    ),
    "maximum": (
        "float f(const float *x, int n) { float m = x[0];"
        " for (int i = 1; i < n; i++) if (x[i] > m) m = x[i]; return m; }",
        "in f32[n] | n >= 1",
    ),
    "search": (
        "int f(const int *x, int n, int key) { for (int i = 0; i < n; i++) if (x[i] == key) return i; return -1; }",
        "in i32[n]",
    ),
    "search by while": (
        "int f(const int *x, int n, int key) { int i = 0; while (i < n && x[i] != key) i++; return i; }",
        "in i32[n]",
    ),
    "end mark": ("int f(const char *s) { int n = 0; while (s[n]) n++; return n; }", "?"),
    "both branches write": (
        "void f(int n, const float *x, float *y) {"
        " for (int i = 0; i < n; i++) { if (x[i] > 0) y[i] = x[i]; else y[i] = 0; } }",
        "in f32[n]; out f32[n]",
    ),
    "one branch writes": (
        "void f(int n, const float *x, float *y) { for (int i = 0; i < n; i++) if (x[i] > 0) y[i] = x[i]; }",
        "in f32[n]; inout f32[n]",
    ),
    "clamped": (
        "void f(int n, float *y) { for (int i = 0; i < n; i++) y[i] = y[i] < 0 ? 0 : y[i] > 1 ? 1 : y[i]; }",
        "inout f32[n]",
    ),
    "left early": (
        "void f(int n, const float *x, float *y) {"
        " for (int i = 0; i < n; i++) { if (x[i] < 0) break; y[i] = x[i]; } }",
        "in f32[n]; inout f32[n]",
    ),
    "skipped": (
        "void f(int n, const float *x, float *y) {"
        " for (int i = 0; i < n; i++) { if (x[i] < 0) continue; y[i] = x[i]; } }",
        "in f32[n]; inout f32[n]",
    ),
    "switched": (
        "void f(int n, const int *k, float *y) { for (int i = 0; i < n; i++) switch (k[i]) {"
        " case 0: y[i] = 0; break; default: y[i] = 1; } }",
        "in i32[n]; out f32[n]",
    ),
    "switched in part": (
        "void f(int n, const int *k, float *y) { for (int i = 0; i < n; i++) switch (k[i]) {"
        " case 0: y[i] = 0; break; case 1: y[i] = 1; } }",
        "in i32[n]; inout f32[n]",
    ),
    "compacted": (
        "int f(int n, const float *x, float *y) {"
        " int k = 0; for (int i = 0; i < n; i++) if (x[i] > 0) y[k++] = x[i]; return k; }",
        "in f32[n]; inout f32[n]",
    ),
    "nothing to do": (
        "void f(int n, const float *x, float *y) { if (n <= 0) return; for (int i = 0; i < n; i++) y[i] = x[i]; }",
        "in f32[n]; out f32[n]",
    ),
    "result through a pointer": (
        "void f(int n, const float *x, float *s) { *s = 0; for (int i = 0; i < n; i++) *s += x[i]; }",
        "in f32[n]; out f32[1]",
    ),
    "two results": (
        "void f(int n, const float *x, float *lo, float *hi) { float a = x[0], b = x[0];"
        " for (int i = 1; i < n; i++) { if (x[i] < a) a = x[i]; if (x[i] > b) b = x[i]; } *lo = a; *hi = b; }",
        "in f32[n]; out f32[1]; out f32[1] | n >= 1",
    ),
    "reference": (
        "void f(int n, const float *x, float &s) { for (int i = 0; i < n; i++) s += x[i]; }",
        "in f32[n]; inout f32[1]",
    ),
    "bound in memory": (
        "void f(const int *days, float *x) { for (int i = 0; i < *days; i++) x[i] = 0; }",
        "in i32[1]; ?",
    ),
    "structures": (
        "typedef struct { float x, y, z; } P; void f(int n, P *p, float dt) {"
        " for (int i = 0; i < n; i++) p[i].x += dt * p[i].y; }",
        "inout P[n]",
    ),
    "structures written whole": (
        "typedef struct { float re, im; } C; void f(int n, const C *a, C *b) {"
        " for (int i = 0; i < n; i++) { b[i].re = a[i].im; b[i].im = a[i].re; } }",
        "in C[n]; out C[n]",
    ),
    "list": ("struct node { int v; struct node *next; }; int f(struct node *p)"
             " { int s = 0; for (; p; p = p->next) s += p->v; return s; }", "?"),
    "untyped": ("void f(int n, void *p) { for (int i = 0; i < n; i++) ((char *)p)[i] = 0; }", "?"),
    "function": (
        "void f(int n, float (*g)(float), float *y) { for (int i = 0; i < n; i++) y[i] = g(y[i]); }",
        "?; inout f32[n]",
    ),
    "helper": (
        "static float sq(float v) { return v * v; }\n"
        "static int at(int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }\n"
        "void f(int n, const float *x, float *y) {"
        " for (int i = 0; i < n; i++) y[i] = sq(x[at(i - 1, n)]) + x[at(i + 1, n)]; }",
        "in f32[n]; out f32[n]",
    ),
    "helper that writes": (
        "static void put(float *y, int i) { y[i] = 1; }\n"
        "void f(int n, float *y) { for (int i = 0; i < n; i++) put(y, i); }",
        "out f32[n]",
    ),
    "macro": (
        "#define AT(i, j) ((i) * n + (j))\n#define B(i, j) b[(j) * m + (i)]\n"
        "void f(int m, int n, const float *a, float *b) {"
        " for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) B(i, j) = a[AT(i, j)] + 1; }",
        "in f32[m*n]; out f32[m*n]",
    ),
    "macro that needs itself": (
        "#define A(i) A(i)\nvoid f(int n, float *a) { for (int i = 0; i < n; i++) a[A(i)] = 0; }",
        "?",
    ),
    "least of two": (
        "void f(int n, float *x) { for (int i = 0; i < std::min<int>(n, 100); i++) x[i] = 0; }",
        "out f32[min(n, 100)]",
    ),
    "beyond a threshold": (
        "void f(int n, float *x) { for (int i = 0; i < n; i++) if (i < 50) x[i] = 0; else x[i] += 1; }",
        "inout f32[n]",
    ),
    "up to a threshold": (
        "void f(int m, int n, float *x) { for (int j = 0; j < m; j++)"
        " for (int i = 0; i < n; i++) if (i < 12) x[j * n + i] = 0; }",
        "inout f32[m, n]",
    ),
    "unknown helper": (
        "void g(float *, int); void f(int n, float *y) { for (int i = 0; i < n; i++) g(y, i); }",
        "?",
    ),
    "copied": (
        "#include <string.h>\nvoid f(int n, const float *x, float *y) {"
        " memcpy(y, x, n * sizeof(float)); for (int i = 0; i < n; i++) y[i] += 1; }",
        "in f32[n]; out f32[n]",
    ),
    "wrapped around": (
        "void f(int n, const float *x, float *y) { for (int i = 0; i < n; i++) y[i] = x[(i + 1) % n]; }",
        "in f32[n]; out f32[n]",
    ),
    "ring": (
        "void f(int n, int m, const float *x, float *r) { for (int i = 0; i < n; i++) r[i % m] = x[i]; }",
        "in f32[n]; inout f32[m] | m >= 1",
    ),
    "local array": (
        "void f(int n, const float *x, float *y) { float b[4]; for (int i = 0; i < n; i++) {"
        " b[i & 3] = x[i]; y[i] = b[0] + b[1]; } }",
        "in f32[n]; out f32[n]",
    ),
    "time steps": (
        "void f(int t, int n, float *a, float *b) { for (int s = 0; s < t; s++) {"
        " for (int i = 1; i < n - 1; i++) b[i] = a[i - 1] + a[i + 1];"
        " for (int i = 1; i < n - 1; i++) a[i] = b[i]; } }",
        "inout f32[n]; inout f32[n]",
    ),
    "outer product": (
        "void f(int m, int n, float a, const float *x, const float *y, float *c) {"
        " for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) c[i * n + j] += a * x[i] * y[j]; }",
        "in f32[m]; in f32[n]; inout f32[m, n]",
    ),
    "column sums": (
        "void f(int m, int n, const float *a, float *s) { for (int j = 0; j < n; j++) s[j] = 0;"
        " for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) s[j] += a[i * n + j]; }",
        "in f32[m, n]; out f32[n]",
    ),
    "batch": (
        "void f(int b, int c, int n, const float *x, const float *w, float *y) { for (int i = 0; i < b; i++)"
        " for (int j = 0; j < c; j++) for (int k = 0; k < n; k++)"
        " y[(i * c + j) * n + k] = x[(i * c + j) * n + k] * w[j]; }",
        "in f32[b, c, n]; in f32[c]; out f32[b, c, n]",
    ),
    "horner": (
        "void f(int n, int d, const double *c, const double *x, double *y) { for (int i = 0; i < n; i++) {"
        " double s = c[d]; for (int k = d - 1; k >= 0; k--) s = s * x[i] + c[k]; y[i] = s; } }",
        "in f64[d + 1]; in f64[n]; out f64[n]",
    ),
    "template": (
        "template <typename T> void f(int n, const T *x, T *y) { for (int i = 0; i < n; i++) y[i] = x[i]; }",
        "?; ?",
    ),
    "template of a number": (
        "template <int N> void f(const float (&x)[N], float *y) { for (int i = 0; i < N; i++) y[i] = x[i]; }",
        "?; ?",
    ),
    "typedef": (
        "typedef double real; void f(int n, real *y) { for (int i = 0; i < n; i++) y[i] = 0; }",
        "out f64[n]",
    ),
    "lesser size": (
        "void f(int n, int m, float *y) { for (int i = 0; i < n && i < m; i++) y[i] = 0; }",
        "out f32[min(n, m)]",
    ),
    "goto": ("void f(int n, float *y) { int i = 0; again: y[i] = 0; if (++i < n) goto again; }", "?"),
    "unused": ("void f(int n, float *y, const float *x) { for (int i = 0; i < n; i++) y[i] = 0; }", "out f32[n]; ?"),
    "vector": (
        "void f(const std::vector<float> &x, float *y, int n) { for (int i = 0; i < n; i++) y[i] = x[i]; }",
        "in f32[n]; out f32[n]",
    ),
    "vector of its own size": (
        "float f(const std::vector<float> &x) {"
        " float s = 0; for (size_t i = 0; i < x.size(); i++) s += x[i]; return s; }",
        "?",
    ),
    "ends together": (
        "void f(int n, float *x) { for (int i = 0, j = n - 1; i < j; i++, j--) {"
        " float t = x[i]; x[i] = x[j]; x[j] = t; } }",
        "inout f32[n]",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", KERNELS)
def test_kernels(case: str) -> None:
    source, expected = KERNELS[case]
    entries, _, where = expected.partition(" | ")
    contract = inferred(source)
    arrays = [
        parameter
        for parameter in find_functions(parse(Snapshot(Path("case.cpp"), source.encode())))[-1].parameters
        if parameter.is_array or (parameter.reference and not parameter.const)
    ]
    got = "; ".join(str(contract.args.get(parameter.name, "?")) for parameter in arrays)
    assert got == entries
    assert str(contract.check.where or "") == where
    for parameter in arrays:
        asked = any(f"'{parameter.name}'" in question for question in contract.asks)
        assert asked == (parameter.name not in contract.args)
    assert contract.origin is Origin.INFERRED


# Kernels of ours whose contract says something that no reading of the source can: these are not affine, or not whole.
NOT_INFERRED = {
    "030-sorts-its-input": "'tmp'",
    "046-contract-lacks-entry": None,
    "047-linked-list": "'p'",
}


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.parent.name)
def test_agrees_with_what_we_wrote(path: Path) -> None:
    parsed = parse(Snapshot(path, path.read_bytes()))
    kernel = find_functions(parsed)[-1]
    contract = infer(analyse(parsed, kernel))
    written = read_contract(parsed, kernel).contract
    if path.parent.name in NOT_INFERRED:
        name = NOT_INFERRED[path.parent.name]
        assert name is None or any(name in question for question in contract.asks)
        assert written is None or contradictions(contract, written) == []
        return
    assert written is not None
    assert contradictions(contract, written) == []
    assert agrees(contract, written)
    assert contract.complete


def test_comparison_tells_differences() -> None:
    source = "void f(int n, const float *x, float *y) { for (int i = 1; i < n; i++) y[i] = x[i]; }"
    contract = inferred(source)

    def written(x: str, y: str) -> Contract:
        text = f'/* kernwright\n[args]\nn = "i32"\nx = "{x}"\ny = "{y}"\n*/\n{source}'
        parsed = parse(Snapshot(Path("a.c"), text.encode()))
        found = read_contract(parsed, find_functions(parsed)[-1])
        assert found.contract is not None and not found.errors
        return found.contract

    same = written("in f32[n*2/2]", "inout f32[min(n, n + 1)]")
    assert contradictions(contract, same) == [] and agrees(contract, same)
    assert contradictions(contract, written("in f32[n]", "out f32[n]")) == []
    assert not agrees(contract, written("in f32[n]", "out f32[n]"))
    (role,) = contradictions(contract, written("inout f32[n]".replace("inout", "in"), "scratch f32[n]"))
    assert "the role is scratch, inferred inout" in role
    (extent,) = contradictions(contract, written("in f32[n + 1]", "inout f32[n]"))
    assert extent.startswith("x: the extent of in f32[n + 1]")


def test_written_parts_stay_and_the_rest_is_filled_in() -> None:
    source = (
        "void f(int n, int m, const float *a, float *y) { for (int i = 0; i < m; i++) {"
        " y[i] = 0; for (int j = 0; j < n; j++) y[i] += a[i * n + j]; } }"
    )
    text = f"/* kernwright\n[check]\nn = [3, 4]\ntolerance = {{ulp = 2}}\n[time]\nm = 50\n*/\n{source}"
    parsed = parse(Snapshot(Path("a.c"), text.encode()))
    kernel = find_functions(parsed)[-1]
    written = read_contract(parsed, kernel).contract
    assert written is not None
    contract = completed(written, analyse(parsed, kernel))
    assert [str(arg) for arg in contract.args.values()] == ["i32", "i32", "in f32[m, n]", "out f32[m]"]
    assert contract.check.sizes["n"] == (3, 4) and len(contract.check.sizes["m"]) > 2
    assert contract.check.tolerance.ulp == 2
    assert contract.time[0].values == {"n": 256, "m": 50}
    assert contract.origin is Origin.INFERRED
    assert str(contract.work.flops) == "m*n" and str(contract.work.bytes) == "4*m*n + 4*m"


def test_a_whole_contract_stays_as_it_is() -> None:
    (path,) = (each for each in CASES if each.parent.name == "015-race-histogram")
    parsed = parse(Snapshot(path, path.read_bytes()))
    kernel = find_functions(parsed)[-1]
    written = read_contract(parsed, kernel).contract
    assert written is not None
    contract = completed(written, analyse(parsed, kernel))
    assert contract.args == written.args and contract.check == written.check and contract.build == written.build
    assert contract.origin is Origin.WRITTEN and contract.complete


TEMPLATE = (
    "template <typename T, int N> T f(int n, const T *x, const float *w) {"
    " T s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < N; j++) s += x[i * N + j] * w[j]; return s; }"
)


def test_template_arguments_come_from_the_contract() -> None:
    text = f'/* kernwright\n[build]\ninstantiate = "f<double, 4>"\n*/\n{TEMPLATE}'
    parsed = parse(Snapshot(Path("a.cpp"), text.encode()))
    kernel = find_functions(parsed)[-1]
    contract = completed(read_contract(parsed, kernel).contract, analyse(parsed, kernel))
    assert [str(arg) for arg in contract.args.values()] == ["i32", "in f64[4*n]", "in f32[4]"]
    assert str(contract.returns) == "f64" and contract.complete


def test_instantiation_follows_from_dtypes() -> None:
    source = "template <typename T> void f(int n, T *x) { for (int i = 0; i < n; i++) x[i] *= 2; }"
    text = f'/* kernwright\n[args]\nn = "i32"\nx = "inout f64[n]"\n*/\n{source}'
    parsed = parse(Snapshot(Path("a.cpp"), text.encode()))
    kernel = find_functions(parsed)[-1]
    contract = completed(read_contract(parsed, kernel).contract, analyse(parsed, kernel))
    assert contract.build.instantiate == "f<double>" and contract.complete


def test_globals() -> None:
    source = (
        "#define N 8\nfloat table[N][4]; static const float fixed[2] = {1, 2}; int seen[16];\n"
        "void f(int n, float *y) { for (int i = 0; i < n; i++) y[i] = table[i % N][1] * fixed[i & 1];"
        " for (int i = 0; i < 16; i++) seen[i] = 0; }"
    )
    contract = inferred(source)
    assert {name: str(arg) for name, arg in contract.check.globals.items()} == {
        "table": "in f32[8, 4]", "seen": "out i32[16]",
    }  # fmt: skip


DEFAULTS: dict[str, tuple[str, dict[str, tuple[int, ...]], dict[str, int]]] = {
    "vector": ("saxpy", {"n": (0, 1, 7, 64, 1000)}, {"n": 32_000}),
    "matrix": ("matvec", {"m": (0, 1, 7, 33, 64), "n": (0, 1, 7, 33, 64)}, {"m": 256, "n": 256}),
    "product": ("long flat constants", {}, {}),
    "cube": ("batch", dict.fromkeys("bcn", (0, 1, 2, 7, 33)), dict.fromkeys("bcn", 192)),
    "not empty": ("maximum", {"n": (1, 7, 64, 1000)}, {"n": 32_000}),
    "even": ("pairs", {"n": (0, 64, 1000)}, {"n": 32_000}),
    "stride": (
        "strided",
        {"n": (1, 7, 64, 1000), "incx": (1, 2, 3), "incy": (1, 2, 3)},
        {"n": 32_000, "incx": 1, "incy": 1},
    ),
    "steps": ("time steps", dict.fromkeys("tn", (0, 1, 7, 33, 64)), dict.fromkeys("tn", 256)),
    "key": ("search", {"n": (0, 1, 7, 64, 1000)}, {"n": 32_000}),
}


@pytest.mark.parametrize("case", DEFAULTS)
def test_default_sizes(case: str) -> None:
    kernel, sizes, time = DEFAULTS[case]
    contract = inferred(KERNELS[kernel][0])
    assert contract.check.sizes == sizes
    assert contract.time[0].values == time


@pytest.mark.parametrize("case", KERNELS)
def test_rendered_contracts_read_back(case: str) -> None:
    source = KERNELS[case][0]
    contract = inferred(source)
    if not contract.complete:
        return
    text = render(contract)
    head, _, function = source.rpartition("\n") if "\n" in source else ("", "", source)
    for start in ("typedef struct", "struct node", "enum", "typedef double"):
        if function.startswith(start):
            cut = max(function.find("; void f("), function.find("; int f(")) + 1
            head, function = head + "\n" + function[:cut], function[cut:]
    # The parser of C++ reads `&`, templates and `std::` only in a C++ file.
    cpp = "template" in source or "std::" in source or "&" in source.partition("{")[0]
    written = f"{head}\n/* kernwright\n{text}*/\n{function}"
    parsed = parse(Snapshot(Path("case"), written.encode()), Language.CPP if cpp else Language.C)
    kernel = find_functions(parsed)[-1]
    result = read_contract(parsed, kernel)
    assert [problem.message for problem in result.problems] == []
    assert result.contract is not None
    assert render(result.contract) == text
    assert agrees(result.contract, contract)


@pytest.mark.parametrize("case", list(KERNELS)[::4])
def test_broken_source_is_no_exception(case: str) -> None:
    source = KERNELS[case][0]
    for cut in range(len(source) // 2, len(source), max(1, len(source) // 6)):
        parsed = parse(Snapshot(Path("case.cpp"), (source[:cut] + " }").encode()))
        for kernel in find_functions(parsed):
            infer(analyse(parsed, kernel))


@pytest.mark.parametrize(
    "body",
    [
        "for (;;) y[0] = 1;",
        "while (1) { if (y[0]) break; y[n]++; }",
        "y[" + "(" * 300 + "n" + ")" * 300 + "] = 0;",
        "for (int i = 0; i < n; i++) f(n, y);",
        "for (int i = 0; i < n; i--) y[i] = 0;",
        "for (int i = 0; i < n; i++) y[i / (n - n)] = 0;",
        "for (int i = 0; i < 2147483647; i++) y[i] = 0;",
    ],
)
def test_hopeless_loops_end_with_a_question(body: str) -> None:
    contract = inferred("void f(int n, float *y) { " + body + " }")
    assert any("'y'" in question for question in contract.asks) or "y" in contract.args


MANY = Path(__file__).parent / "data" / "inference.c"
MANY_KERNELS = [kernel.name for kernel in find_functions(parse(Snapshot(MANY, MANY.read_bytes())))]


@pytest.mark.parametrize("name", MANY_KERNELS)
def test_agrees_with_what_people_would_write(name: str) -> None:
    parsed = parse(Snapshot(MANY, MANY.read_bytes()))
    (kernel,) = (kernel for kernel in find_functions(parsed) if kernel.name == name)
    read = read_contract(parsed, kernel)
    assert read.problems == () and read.contract is not None
    contract = infer(analyse(parsed, kernel))
    assert contradictions(contract, read.contract) == []
    if name == "merge":
        # How far the result is reached depends on data until the very end.
        (question,) = contract.asks
        assert "'c'" in question
    else:
        assert agrees(contract, read.contract)
