"""Kinds of edits: three accepted ones in kernels that have little else in common, a fourth kernel that nobody has
edited, and look-alikes that have to be left alone."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """``edits`` and ``unseen`` are functions before and after. ``silent`` are functions in which nothing is found."""

    name: str
    edits: tuple[tuple[str, str], ...]
    unseen: tuple[str, str]
    silent: tuple[str, ...]


def edit(before: str, *changes: tuple[str, str]) -> tuple[str, str]:
    """A function and what it becomes when each first text is replaced by the second."""
    after = before
    for old, new in changes:
        assert after.count(old) == 1, (old, after)
        after = after.replace(old, new)
    return before, after


KINDS = (
    Kind(
        "a reciprocal before the loop",
        (
            edit(
                "void norm(int n, float *x, float total)\n{\n    for (int i = 0; i < n; i++)\n"
                "        x[i] = x[i] / total;\n}\n",
                ("    for", "    const float inv = 1.0f / total;\n    for"),
                ("x[i] / total", "x[i] * inv"),
            ),
            edit(
                "void scale(double *v, const double *w, long m, double s)\n{\n    long j = 0;\n"
                "    for (j = 2; j <= m; j += 2) {\n        v[j] = w[j] / s + 1;\n    }\n}\n",
                ("    for", "    const double r = 1.0f / s;\n    for"),
                ("w[j] / s", "w[j] * r"),
            ),
            edit(
                "float mean(const float *data, unsigned count, float weight)\n{\n    float sum = 0;\n"
                "    for (unsigned k = count; k-- > 0;)\n        sum += data[k] / weight;\n    return sum;\n}\n",
                ("    for", "    const float q = 1.0f / weight;\n    for"),
                ("data[k] / weight", "data[k] * q"),
            ),
        ),
        edit(
            "void rows(int height, int width, double *a, double d)\n{\n    for (int y = 0; y < height; y++) {\n"
            "        for (int c = 0; c < width; c++)\n            a[c] += a[c] / d;\n    }\n}\n",
            ("        for (int c", "        const double inv = 1.0f / d;\n        for (int c"),
            ("a[c] / d", "a[c] * inv"),
        ),
        (
            "void each(int n, float *x, const float *s)\n{\n    for (int i = 0; i < n; i++)\n"
            "        x[i] = x[i] / s[i];\n}\n",
            "void whole(int n, int *x, int s)\n{\n    for (int i = 0; i < n; i++)\n        x[i] = x[i] / s;\n}\n",
            "void grows(int n, float *x, float s)\n{\n    for (int i = 0; i < n; i++) {\n"
            "        x[i] = x[i] / s;\n        s += 1;\n    }\n}\n",
            "float once(float *x, int i, float s)\n{\n    return x[i] / s;\n}\n",
        ),
    ),
    Kind(
        "a square instead of pow",
        (
            edit(
                "void a(int n, const float *x, float *y)\n{\n    for (int i = 0; i < n; i++)\n"
                "        y[i] = pow(x[i], 2.0);\n}\n",
                ("pow(x[i], 2.0)", "x[i] * x[i]"),
            ),
            edit(
                "double b(long m, const double *v)\n{\n    double s = 0;\n    for (long j = 1; j < m; j++) {\n"
                "        s += pow(v[2 * j], 2.0) - 1;\n    }\n    return s;\n}\n",
                ("pow(v[2 * j], 2.0)", "v[2 * j] * v[2 * j]"),
            ),
            edit(
                "void c(unsigned count, double *out, const float *in)\n{\n    unsigned k = 0;\n"
                "    while (k < count) {\n        out[k] = sqrt(pow(in[k], 2.0));\n        k++;\n    }\n}\n",
                ("pow(in[k], 2.0)", "in[k] * in[k]"),
            ),
        ),
        edit(
            "float d(int rows, int columns, const float *m)\n{\n    float t = 0;\n"
            "    for (int r = 0; r < rows; r++)\n        for (int c = 0; c < columns; c++)\n"
            "            t += pow(m[r * columns + c], 2.0) + pow(m[c], 2.0);\n    return t;\n}\n",
            ("pow(m[r * columns + c], 2.0)", "m[r * columns + c] * m[r * columns + c]"),
            ("pow(m[c], 2.0)", "m[c] * m[c]"),
        ),
        (
            "void cube(int n, const float *x, float *y)\n{\n    for (int i = 0; i < n; i++)\n"
            "        y[i] = pow(x[i], 3.0);\n}\n",
            "void base(int n, const float *x, float *y)\n{\n    for (int i = 0; i < n; i++)\n"
            "        y[i] = pow(2.0, x[i]);\n}\n",
            "void other(int n, const float *x, float *y)\n{\n    for (int i = 0; i < n; i++)\n"
            "        y[i] = ldexp(x[i], 2.0);\n}\n",
        ),
    ),
    Kind(
        "a float literal instead of a double one",
        (
            edit(
                "void half(int n, float *x)\n{\n    for (int i = 0; i < n; i++)\n        x[i] = x[i] * 0.5;\n}\n",
                ("0.5", "0.5f"),
            ),
            edit(
                "void gain(long m, float *to, const float *from)\n{\n    for (long j = 0; j < m; ++j) {\n"
                "        to[j] = from[j] * 1.25 - to[j];\n    }\n}\n",
                ("1.25", "1.25f"),
            ),
            edit(
                "float total(const float *v, unsigned k)\n{\n    float s = 0;\n    while (k--)\n"
                "        s += v[k] * 3.0;\n    return s;\n}\n",
                ("3.0", "3.0f"),
            ),
        ),
        edit(
            "void mix(float *a, float *b, int h)\n{\n    for (int y = 0; y < h; y += 4)\n"
            "        b[y] = 1 + a[y] * 0.75;\n}\n",
            ("0.75", "0.75f"),
        ),
        (
            "void half(int n, double *x)\n{\n    for (int i = 0; i < n; i++)\n        x[i] = x[i] * 0.5;\n}\n",
            "void twice(int n, int *x)\n{\n    for (int i = 0; i < n; i++)\n        x[i] = x[i] * 2.0;\n}\n",
            "void split(int n, float *x)\n{\n    for (int i = 0; i < n; i++)\n        x[i] = x[i] / 0.5;\n}\n",
        ),
    ),
    Kind(
        "a conditional value instead of a branch",
        (
            edit(
                "float top(int n, const float *x)\n{\n    float m = x[0];\n    for (int i = 1; i < n; i++)\n"
                "        if (x[i] > m)\n            m = x[i];\n    return m;\n}\n",
                ("if (x[i] > m)\n            m = x[i];", "m = x[i] > m ? x[i] : m;"),
            ),
            edit(
                "int peak(long count, const int *level)\n{\n    int best = 0;\n"
                "    for (long k = 0; k < count; k++) {\n"
                "        if (level[k] > best)\n            best = level[k];\n    }\n    return best;\n}\n",
                ("if (level[k] > best)\n            best = level[k];", "best = level[k] > best ? level[k] : best;"),
            ),
            edit(
                "double most(const double *v, unsigned u)\n{\n    double hi = -1;\n    while (u--)\n"
                "        if (v[u] > hi)\n            hi = v[u];\n    return hi;\n}\n",
                ("if (v[u] > hi)\n            hi = v[u];", "hi = v[u] > hi ? v[u] : hi;"),
            ),
        ),
        edit(
            "short loudest(const short *sample, int frames)\n{\n    short high = 0;\n"
            "    for (int f = 0; f < frames; f++)\n        if (sample[f] > high)\n"
            "            high = sample[f];\n    return high;\n}\n",
            ("if (sample[f] > high)\n            high = sample[f];", "high = sample[f] > high ? sample[f] : high;"),
        ),
        (
            "int where(int n, const float *x)\n{\n    int at = 0;\n    for (int i = 1; i < n; i++)\n"
            "        if (x[i] > x[at])\n            at = i;\n    return at;\n}\n",
            "float clip(int n, float *x, float m)\n{\n    for (int i = 1; i < n; i++)\n        if (x[i] > m)\n"
            "            x[i] = m;\n    return m;\n}\n",
            "float both(int n, const float *x)\n{\n    float m = 0;\n    int c = 0;\n    for (int i = 1; i < n; i++)\n"
            "        if (x[i] > m)\n            m = x[i];\n        else\n            c++;\n    return m + c;\n}\n",
            "float low(int n, const float *x)\n{\n    float m = 0;\n    for (int i = 1; i < n; i++)\n"
            "        if (x[i] < m)\n            m = x[i];\n    return m;\n}\n",
        ),
    ),
    Kind(
        "memcpy instead of a copying loop",
        (
            edit(
                "void a(int n, float *to, const float *from)\n{\n    for (int i = 0; i < n; i++)\n"
                "        to[i] = from[i];\n}\n",
                ("for (int i = 0; i < n; i++)\n        to[i] = from[i];", "memcpy(to, from, n * sizeof *to);"),
            ),
            edit(
                "long b(short *d, const short *s, long m)\n{\n    for (long j = 0; j < m; j++)\n"
                "        d[j] = s[j];\n    return m;\n}\n",
                ("for (long j = 0; j < m; j++)\n        d[j] = s[j];", "memcpy(d, s, m * sizeof *d);"),
            ),
            edit(
                "void c(double *x, const double *y, unsigned k, double z)\n{\n    x[k] = z;\n"
                "    for (unsigned u = 0; u < k; u++)\n        x[u] = y[u];\n}\n",
                ("for (unsigned u = 0; u < k; u++)\n        x[u] = y[u];", "memcpy(x, y, k * sizeof *x);"),
            ),
        ),
        edit(
            "void d(int rows, int width, char *page, const char *line)\n{\n    for (int r = 0; r < rows; r++) {\n"
            "        for (int c = 0; c < width; c++)\n            page[c] = line[c];\n"
            "        page += width;\n    }\n}\n",
            (
                "for (int c = 0; c < width; c++)\n            page[c] = line[c];",
                "memcpy(page, line, width * sizeof *page);",
            ),
        ),
        (
            "void reverse(int n, float *to, const float *from)\n{\n    for (int i = 0; i < n; i++)\n"
            "        to[i] = from[n - i];\n}\n",
            "void shifted(int n, float *to, const float *from)\n{\n    for (int i = 1; i < n; i++)\n"
            "        to[i] = from[i];\n}\n",
            "void added(int n, float *to, const float *from)\n{\n    for (int i = 0; i < n; i++)\n"
            "        to[i] += from[i];\n}\n",
            "void fill(int n, float *to, float from)\n{\n    for (int i = 0; i < n; i++)\n        to[i] = from;\n}\n",
        ),
    ),
    Kind(
        "a length before the loop",
        (
            edit(
                "void upper(char *s)\n{\n    for (size_t i = 0; i < strlen(s); i++)\n        s[i] &= 95;\n}\n",
                ("    for", "    const size_t length = strlen(s);\n    for"),
                ("i < strlen(s)", "i < length"),
            ),
            edit(
                "int count(const char *text, char c)\n{\n    int found = 0;\n"
                "    for (int k = 1; k < strlen(text); ++k) {\n        found += text[k] == c;\n    }\n"
                "    return found;\n}\n",
                ("    for", "    const size_t end = strlen(text);\n    for"),
                ("k < strlen(text)", "k < end"),
            ),
            edit(
                "long sum(const char *line)\n{\n    long total = 0, at = 0;\n    while (at < strlen(line)) {\n"
                "        total += line[at];\n        at++;\n    }\n    return total;\n}\n",
                ("    while", "    const size_t n = strlen(line);\n    while"),
                ("at < strlen(line)", "at < n"),
            ),
        ),
        edit(
            "unsigned hash(const char *key)\n{\n    unsigned h = 7;\n"
            "    for (unsigned j = 0; j < strlen(key); j += 1)\n        h = h * 31 + key[j];\n    return h;\n}\n",
            ("    for", "    const size_t length = strlen(key);\n    for"),
            ("j < strlen(key)", "j < length"),
        ),
        (
            "void each(int n, char **s, int *length)\n{\n    for (int i = 0; i < n; i++)\n"
            "        length[i] = strlen(s[i]);\n}\n",
            "int once(const char *s, int i)\n{\n    return i < strlen(s);\n}\n",
            "int longer(int n, const char *s)\n{\n    int c = 0;\n    for (int i = 0; i < n; i++)\n"
            "        c += i < wcslen(s);\n    return c;\n}\n",
        ),
    ),
    Kind(
        "one product less",
        (
            edit(
                "void a(int n, float *y, const float *x, float k)\n{\n    for (int i = 0; i < n; i++)\n"
                "        y[i] = x[i] * k + y[i] * k;\n}\n",
                ("x[i] * k + y[i] * k", "(x[i] + y[i]) * k"),
            ),
            edit(
                "double b(long m, const double *p, const double *q, double w)\n{\n    double s = 0;\n"
                "    for (long j = 0; j < m; j++) {\n        s += p[j] * w + q[2 * j] * w;\n    }\n    return s;\n}\n",
                ("p[j] * w + q[2 * j] * w", "(p[j] + q[2 * j]) * w"),
            ),
            edit(
                "void c(float *o, const float *l, const float *r, unsigned u, float g)\n{\n    while (u--)\n"
                "        o[u] = 1 - (l[u] * g + r[u] * g);\n}\n",
                ("l[u] * g + r[u] * g", "(l[u] + r[u]) * g"),
            ),
        ),
        edit(
            "void d(int h, double *to, const double *one, const double *two, double f)\n{\n"
            "    for (int y = 0; y < h; y++)\n        to[y] = one[y] * f + two[h - y] * f;\n}\n",
            ("one[y] * f + two[h - y] * f", "(one[y] + two[h - y]) * f"),
        ),
        (
            "void two(int n, float *y, const float *x, float k, float l)\n{\n    for (int i = 0; i < n; i++)\n"
            "        y[i] = x[i] * k + y[i] * l;\n}\n",
            "void less(int n, float *y, const float *x, float k)\n{\n    for (int i = 0; i < n; i++)\n"
            "        y[i] = x[i] * k - y[i] * k;\n}\n",
            "void whole(int n, int *y, const int *x, int k)\n{\n    for (int i = 0; i < n; i++)\n"
            "        y[i] = x[i] * k + y[i] * k;\n}\n",
        ),
    ),
    Kind(
        "a function for floats",
        (
            edit(
                "void a(int n, float *x)\n{\n    for (int i = 0; i < n; i++)\n        x[i] = sqrt(x[i]);\n}\n",
                ("sqrt", "sqrtf"),
            ),
            edit(
                "float b(long m, const float *v)\n{\n    float s = 0;\n    for (long j = 0; j < m; j++) {\n"
                "        s += exp(v[j]);\n    }\n    return s;\n}\n",
                ("exp", "expf"),
            ),
            edit(
                "void c(float *o, const float *r, unsigned u)\n{\n    while (u--)\n"
                "        o[u] = 1 + fabs(r[u]);\n}\n",
                ("fabs", "fabsf"),
            ),
        ),
        edit(
            "void d(int h, float *to, const float *level)\n{\n    for (int y = 0; y < h; y++)\n"
            "        to[y] -= exp(level[y]);\n}\n",
            ("exp", "expf"),
        ),
        (
            "void a(int n, double *x)\n{\n    for (int i = 0; i < n; i++)\n        x[i] = sqrt(x[i]);\n}\n",
            "void own(int n, float *x)\n{\n    for (int i = 0; i < n; i++)\n        x[i] = mine(x[i]);\n}\n",
            "void done(int n, float *x)\n{\n    for (int i = 0; i < n; i++)\n        x[i] = sqrtf(x[i]);\n}\n",
        ),
    ),
    Kind(
        "a sum in a local variable",
        (
            edit(
                "void a(int n, const float *x, float *out)\n{\n    for (int i = 0; i < n; i++)\n"
                "        out[0] += x[i];\n}\n",
                ("    for", "    float sum = out[0];\n    for"),
                ("        out[0] += x[i];", "        sum += x[i];\n    out[0] = sum;"),
            ),
            edit(
                "void b(const double *v, double *total, long m)\n{\n    for (long j = 0; j < m; j++)\n"
                "        total[0] += v[j];\n}\n",
                ("    for", "    double t = total[0];\n    for"),
                ("        total[0] += v[j];", "        t += v[j];\n    total[0] = t;"),
            ),
            edit(
                "unsigned c(float *r, const float *w, unsigned k)\n{\n    for (unsigned u = 0; u < k; u++)\n"
                "        r[0] += w[u];\n    return k;\n}\n",
                ("    for", "    float acc = r[0];\n    for"),
                ("        r[0] += w[u];", "        acc += w[u];\n    r[0] = acc;"),
            ),
        ),
        edit(
            "void d(int rows, int width, const double *m, double *to)\n{\n    for (int y = 0; y < rows; y++) {\n"
            "        for (int c = 0; c < width; c++)\n            to[0] += m[c];\n        m += width;\n    }\n}\n",
            ("        for (int c", "        double sum = to[0];\n        for (int c"),
            ("            to[0] += m[c];", "            sum += m[c];\n        to[0] = sum;"),
        ),
        (
            "void moving(int n, const float *x, float *out)\n{\n    for (int i = 0; i < n; i++)\n"
            "        out[i] += x[i];\n}\n",
            "void last(int n, const float *x, float *out)\n{\n    for (int i = 0; i < n; i++)\n"
            "        out[0] = x[i];\n}\n",
            "void whole(int n, const int *x, int *out)\n{\n    for (int i = 0; i < n; i++)\n"
            "        out[0] += x[i];\n}\n",
        ),
    ),
    Kind(
        "one division instead of two",
        (
            edit(
                "void a(int n, float *x, float p, float q)\n{\n    for (int i = 0; i < n; i++)\n"
                "        x[i] = x[i] / p / q;\n}\n",
                ("x[i] / p / q", "x[i] / (p * q)"),
            ),
            edit(
                "double b(long m, const double *v, const double *w)\n{\n    double s = 0;\n"
                "    for (long j = 0; j < m; j++)\n        s += v[2 * j] / w[j] / v[m - j];\n    return s;\n}\n",
                ("v[2 * j] / w[j] / v[m - j]", "v[2 * j] / (w[j] * v[m - j])"),
            ),
            edit(
                "void c(float *o, const float *r, unsigned u)\n{\n    while (u--)\n"
                "        o[u] = 1 - r[u] / r[2 * u] / 3.0f;\n}\n",
                ("r[u] / r[2 * u] / 3.0f", "r[u] / (r[2 * u] * 3.0f)"),
            ),
        ),
        edit(
            "void d(int h, double *to, const double *one, double f)\n{\n    for (int y = 0; y < h; y++)\n"
            "        to[y] = one[h - y] / one[y] / f;\n}\n",
            ("one[h - y] / one[y] / f", "one[h - y] / (one[y] * f)"),
        ),
        (
            "void whole(int n, int *x, int p, int q)\n{\n    for (int i = 0; i < n; i++)\n"
            "        x[i] = x[i] / p / q;\n}\n",
            "void times(int n, float *x, float p, float q)\n{\n    for (int i = 0; i < n; i++)\n"
            "        x[i] = x[i] / p * q;\n}\n",
            "void grouped(int n, float *x, float p, float q)\n{\n    for (int i = 0; i < n; i++)\n"
            "        x[i] = x[i] / (p / q);\n}\n",
        ),
    ),
)
