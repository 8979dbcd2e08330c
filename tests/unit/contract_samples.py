"""Contracts to read: right ones, and one for each mistake that a person can make."""

from __future__ import annotations

from pathlib import Path

CASES = sorted((Path(__file__).parent.parent / "verify_cases").glob("0??-*/original.c"))
"""The originals of the first cases of verification, C all of them: contracts as people write them."""

SAXPY = """/* kernwright
[args]
n = "i32"                      # a size: it has a list under [check]
a = "f32 in -4..4"
x = "in f32[n]"
y = "inout f32[n] in 0..1 aligned(64)"
[check]
n = [0, 1, 7, 64, 1000]
where = "n >= 0 and n != 3"
tolerance = {rel = 1e-6, abs = 1e-9}
tolerance.y = {ulp = 4}
no_overlap = true
[time]
n = 1_000_000
[work]
flops = "2*n"
bytes = 12
[build]
flags = ["-O3"]
link = ["m"]
*/
void saxpy(int n, float a, const float *x, float *y) {
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}
"""


def body(
    toml: str, function: str = "void f(int n, const float *x, float *y) { for (int i = 0; i < n; i++) y[i] = x[i]; }"
) -> str:
    return f"/* kernwright\n{toml}\n*/\n{function}\n"


ARGS = '[args]\nn = "i32"\nx = "in f32[n]"\ny = "out f32[n]"\n'
SCALE = "void f(int n, int m, float a, const float *x, float *y) { y[0] = a * x[n + m]; }"
SCALE_ARGS = '[args]\nn = "i32"\nm = "i32"\na = "f32"\nx = "in f32[n]"\ny = "out f32[m]"\n'


def entry(text: str) -> str:
    return ARGS.replace('"in f32[n]"', text)


# Each case: the TOML, the text that the problem's span covers, and words that its message holds.
MISTAKES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "no TOML": ('[args]\nn = i32\nx = "in f32[n]"', "i32", ("not valid TOML", "quotes")),
    "open string": ('[args]\nn = "i32\n', 'n = "i32', ("not valid TOML", "quote")),
    "open header": ("[args\n", "[args", ("not valid TOML",)),
    "key twice": ('[args]\nn = "i32"\nn = "i64"', 'n = "i64"', ("given twice",)),
    "unknown table": (ARGS + "[chek]\nn = [1]", "[chek]", ("unknown table", "did you mean 'check'")),
    "no table": ('n = "i32"\n', "n", ("unknown table", "put [args] above")),
    "table as value": ('args = "i32"', "args", ("[args]", "line of its own")),
    "no entry": ('[args]\nn = "i32"\nx = "in f32[n]"', "[args]", ("'y' of f has no entry", "inout f32[n]")),
    "no parameter": (ARGS + 'yy = "f32"', "yy", ("no parameter of f", "n, x, y", "did you mean 'y'")),
    "entry no text": (ARGS.replace('"i32"', "32"), "32", ("a text", "in f32[n]")),
    "no dtype": (entry('""'), '"', ("expected a dtype",)),
    "C type": (entry('"in float[n]"'), "float", ("write 'f32'",)),
    "wrong dtype": (entry('"in f64[n]"'), "f64", ("float in the source", "f32, not f64")),
    "wrong sign": (ARGS.replace('"i32"', '"u32"'), "u32", ("i32, not u32",)),
    "unknown dtype": (entry('"in f23[n]"'), "f23", ("unknown dtype", "did you mean 'f32'")),
    "unknown struct": (
        ARGS.replace('"in f32[n]"', '"in Particle[n]"'),
        "Particle",
        ("float in the source", "f32, not Particle"),
    ),
    "complex": (entry('"in complex64[n]"'), "complex64", ("not supported yet",)),
    "unknown size": (entry('"in f32[2*k]"'), "k", ("'k' is unknown", "integer parameters are n")),
    "array as size": (entry('"in f32[y]"'), "y", ("'y' is an array",)),
    "bad dimension": (entry('"in f32[n +]"'), "+", ("dimension 'n +'",)),
    "empty dimension": (entry('"in f32[n,]"'), "]", ("expected a dimension",)),
    "open dimension": (entry('"in f32[n"'), "[n", ("add ']'",)),
    "no role": (entry('"f32[n]"'), "f32", ("needs a role", '"in f32[n]"')),
    "wrong role": (entry('"inn f32[n]"'), "inn", ("no role", "did you mean 'in'")),
    "two roles": (entry('"in out f32[n]"'), "out", ("two roles",)),
    "role of a scalar": (ARGS.replace('"i32"', '"in i32"'), "i32", ("needs dimensions", 'as in "i32"')),
    "scalar for array": (entry('"f32"'), '"f32"', ("const float*, an array", "in f32[n]")),
    "array for scalar": (ARGS.replace('"i32"', '"in i32[1]"'), '"in i32[1]"', ("a scalar", 'write "i32"')),
    "const out": (entry('"out f32[n]"'), '"out f32[n]"', ("can't write", "role is in")),
    "unknown word": (entry('"in f32[n] sortd"'), "sortd", ("unknown word", "did you mean 'sorted'")),
    "word after bounds": (entry('"in f32[n] in 0..1 sortd"'), "sortd", ("unknown word",)),
    "word of integers": (entry('"in f32[n] permutation"'), "permutation", ("arrays of integers",)),
    "word of floats": (ARGS.replace('"i32"', '"i32 specials"'), "specials", ("for floats",)),
    "alignment": (entry('"in f32[n] aligned(3)"'), "aligned(3)", ("power of two",)),
    "reversed bounds": (entry('"in f32[n] in 1..0"'), "1..0", ("reversed", "in 0..1")),
    "half bounds": (entry('"in f32[n] in 0"'), "0", ("LOW..HIGH",)),
    "bounds of a type": (ARGS.replace('"i32"', '"i32 in 0..3000000000"'), "3000000000", ("i32 holds",)),
    "bound no integer": (ARGS.replace('"i32"', '"i32 in 0.5..3"'), "0.5", ("integers",)),
    "unknown bound": (entry('"in f32[n] in 0..k"'), "k", ("'k' is unknown",)),
    "reversed at a size": (
        ARGS.replace('"in f32[n]"', '"in f32[n] in 10..n"') + "[check]\nn = [20, 7]",
        "10..n",
        ("reversed at n = 7",),
    ),
    "list of texts": (ARGS + '[check]\nn = ["a"]', '"a"', ("integers", "[0, 1, 7, 64, 1000]")),
    "list of floats": (ARGS + "[check]\nn = [1, 1.5]", "1.5", ("i32: its sizes are integers",)),
    "one size": (ARGS + "[check]\nn = 64", "64", ("write n = [64]",)),
    "empty list": (ARGS + "[check]\nn = []", "[]", ("no size is listed",)),
    "size beyond type": (ARGS + "[check]\nn = [3000000000]", "3000000000", ("which holds",)),
    "size out of bounds": (
        ARGS.replace('"i32"', '"i32 in 1..9"') + "[check]\nn = [1, 10]",
        "10",
        ("outside the values of 'n'",),
    ),
    "unknown size list": (ARGS + "[check]\nk = [1]", "k", ("'k' is no size", "scalar parameters are n")),
    "misspelt check key": (ARGS + "[check]\nmax_case = [1]", "max_case", ("did you mean 'max_cases'",)),
    "negative dimension": (entry('"in f32[n - 2]"') + "[check]\nn = [4, 1]", "n - 2", ("-1 at n = 1", "where")),
    "zero divisor": (entry('"in f32[8 / n]"') + "[check]\nn = [0, 1]", "8 / n", ("divides by zero at n = 0",)),
    "negative constant": (entry('"in f32[-3]"'), "-3", ("-3 at every size",)),
    "where of nothing": (
        ARGS + '[check]\nn = [1, 3]\nwhere = "n % 2 == 0"',
        '"n % 2 == 0"',
        ("no combination",),
    ),
    "where of strangers": (ARGS + '[check]\nwhere = "k > 0"', "k", ("'k' is unknown",)),
    "where is broken": (ARGS + '[check]\nwhere = "n >"', ">", ("where 'n >'",)),
    "where no text": (ARGS + "[check]\nwhere = true", "true", ("a text with an expression",)),
    "tolerance word": (ARGS + '[check]\ntolerance = "close"', '"close"', ('"exact", {ulp = 4}',)),
    "tolerance key": (ARGS + "[check]\ntolerance = {rle = 1e-6}", "rle", ("unknown 'rle'",)),
    "tolerance sign": (ARGS + "[check]\ntolerance = {rel = -1}", "-1", ("at least 0",)),
    "tolerance mix": (ARGS + "[check]\ntolerance = {ulp = 4, rel = 1e-6}", "ulp", ("stands alone",)),
    "tolerance of input": (ARGS + '[check]\ntolerance.x = "exact"', "x", ("no output", "y, return")),
    "overlap unknown": (ARGS + '[check]\noverlap = [["x", "z"]]', '"z"', ("no array", "x, y")),
    "overlap of one": (ARGS + '[check]\noverlap = [["x"]]', '["x"]', ("two names or more",)),
    "overlap flat": (ARGS + '[check]\noverlap = ["x", "y"]', '"x"', ("list of groups",)),
    "overlap both": (
        ARGS + '[check]\nno_overlap = true\noverlap = [["x", "y"]]',
        "no_overlap",
        ("contradict",),
    ),
    "flag": (ARGS + "[check]\nno_overlap = 1", "1", ("true or false",)),
    "max_cases": (ARGS + "[check]\nmax_cases = 0", "0", ("positive integer",)),
    "setup": (ARGS + '[check]\nsetup = "fill"', '"fill"', ("no function 'fill'",)),
    "reference": (ARGS + '[check]\nreference = "g"', '"g"', ("no function 'g'",)),
    "globals no table": (ARGS + "[check]\nglobals = 3", "globals", ("table of entries",)),
    "time unknown": (ARGS + "[time]\nk = 3", "k", ("'k' is no size",)),
    "time no number": (ARGS + '[time]\nn = "big"', '"big"', ("a number",)),
    "time cache": (ARGS + '[time]\nn = 3\ncache = "hot"', '"hot"', ('"warm" or "cold"',)),
    "time weight": (ARGS + "[time]\nn = 3\nweight = 0", "0", ("above 0",)),
    "time second": (ARGS + "[[time]]\nn = 3\n[[time]]\nm = 4", "m", ("'m' is no size",)),
    "time and where": (
        ARGS + '[check]\nn = [2]\nwhere = "n % 2 == 0"\n[time]\nn = 3',
        "[time]",
        ("do not satisfy",),
    ),
    "time negative": (entry('"in f32[n - 9]"') + "[time]\nn = 3", "n - 9", ("-6 at n = 3",)),
    "work key": (ARGS + '[work]\nflop = "n"', "flop", ("did you mean 'flops'",)),
    "work unknown": (ARGS + '[work]\nflops = "2*k"', "k", ("'k' is unknown",)),
    "build key": (ARGS + '[build]\nflag = ["-O3"]', "flag", ("did you mean 'flags'",)),
    "build flags": (ARGS + '[build]\nflags = "-O3"', '"-O3"', ("list of texts",)),
    "no template": (ARGS + '[build]\ninstantiate = "f<float>"', '"f<float>"', ("no template",)),
    "return of nothing": (ARGS + 'return = "f32"', '"f32"', ("returns nothing",)),
}


MORE: dict[str, tuple[str, str, str, str]] = {
    "float as size": (SCALE_ARGS.replace("f32[n]", "f32[a]"), SCALE, "a", "'a' is no integer"),
    "return dtype": (
        '[args]\nn = "i32"\nreturn = "f32"',
        "double f(int n) { double s = 0; while (n--) s += 1; return s; }",
        "f32",
        "double in the source",
    ),
    "return array": (
        '[args]\nn = "i32"\nreturn = "out f32[n]"',
        "float f(int n) { return n; }",
        '"out f32[n]"',
        "a scalar",
    ),
    "rows": (
        '[args]\nn = "i32"\na = "in f32[n, n]"',
        "float f(int n, float **a) { return a[n - 1][0]; }",
        '"in f32[n, n]"',
        "f32[rows][n]",
    ),
    "function pointer": (
        '[args]\nn = "i32"\ng = "f32"',
        "float f(int n, float (*g)(float)) { return g(n); }",
        "[args]",
        "'g' is a pointer to a function",
    ),
    "three stars": (
        '[args]\nn = "i32"\na = "in f32[n][n]"',
        "float f(int n, float ***a) { return a[n][0][0]; }",
        "[args]",
        "not checkable",
    ),
    "list node": (
        '[args]\np = "in node[1]"',
        "struct node { int v; struct node *next; }; int f(const struct node *p) { return p->v; }",
        "node",
        "struct node *next",
    ),
    "one type": (
        '[args]\nx = "in f32[1]"\ny = "out f64[1]"',
        "template <typename T> void f(const T *x, T *y) { *y = *x; }",
        "f64",
        "same type T",
    ),
    "instantiated": (
        '[args]\nx = "in f32[N]"\n[build]\ninstantiate = "f<double, 8>"',
        "template <typename T, int N> void f(const T *x) { for (int i = 0; i < N; i++) (void)x[i]; }",
        "f32",
        "T in the source, which is f64",
    ),
    "other template": (
        '[args]\nx = "in f32[1]"\n[build]\ninstantiate = "g<float>"',
        "template <typename T> void f(const T *x) { (void)x[0]; }",
        '"g<float>"',
        "f<float>",
    ),
    "too many": (
        '[args]\nx = "in f32[1]"\n[build]\ninstantiate = "f<float, 8>"',
        "template <typename T> void f(const T *x) { (void)x[0]; }",
        '"f<float, 8>"',
        "takes 1 template arguments, not 2",
    ),
}


FITS: dict[str, tuple[str, str]] = {
    "rows": ('a = "in f32[m][n]"\nm = "i32"\nn = "i32"', "float f(int m, int n, float **a) { return a[m][n]; }"),
    "fixed": ('a = "in f32[4, N]"', "#define N 8\n|float f(const float a[4][N]) { return a[0][0]; }"),
    "brackets": ('a = "in f32[4][8]"', "float f(const float a[4][8]) { return a[0][0]; }"),
    "to array": ('n = "i32"\na = "in f32[n, 8]"', "float f(int n, float (*a)[8]) { return a[n][0]; }"),
    "struct": (
        'n = "i32"\np = "inout P[n]"',
        "typedef struct { float x, y[3]; int id; } P;\n|void f(int n, P *p) { p[n].x = 0; }",
    ),
    "typedef": ('x = "in f64[1]"', "typedef double real;\n|void f(const real *x) { (void)x; }"),
    "header type": ('x = "in f32[1]"', "void f(const real_t *x) { (void)x; }"),
    "void": ('x = "in u8[1]"', "void f(const void *x) { (void)x; }"),
    "char": ('x = "in u8[1]"', "void f(const char *x) { (void)x; }"),
    "returned": ('n = "i32"\nreturn = "out f32[n]"', "float *f(int n) { return 0; }"),
    "vector": (
        'x = "in f32[n]"\nn = "i32"',
        "#include <vector>\n|int f(const std::vector<float> &x, int n) { return 0; }",
    ),
    "reference": ('s = "out f32[1]"', "#include <vector>\n|void f(float &s) { s = 1; }"),
    "scalar reference": ('s = "f32"', "#include <vector>\n|void f(const float &s) { }"),
    "template": (
        'x = "in f64[N]"\n[build]\ninstantiate = "f<double, 8>"',
        "#include <vector>\n|template <typename T, int N> void f(const T *x) { (void)x[0]; }",
    ),
    "template default": (
        'x = "in f64[N + 1]"',
        "#include <vector>\n|template <int N = 4> void f(const double *x) { (void)x[0]; }",
    ),
    "spaces": (
        'x = " in  f32 [ m * 2 , n ]  in 0 .. m - n  sorted "\nm = "i32"\nn = "i32"',
        "void f(const float *x, int m, int n) {}",
    ),
    "words": (
        'n = "i32"\np = "in i32[n] in 0..n-1 permutation aligned(32)"\nd = "in i32[n] distinct nonzero"',
        "void f(int n, const int *p, const int *d) {}",
    ),
    "globals": (
        'n = "i32"\n[check]\nsetup = "fill"\nglobals.table = "in f32[16]"\nglobals.count = "inout i32[1]"',
        "float table[16]; static int count;\nvoid fill(void) { }\n|void f(int n) { count += n; }",
    ),
    "unlisted where": ('n = "i32"\nm = "i32"\n[check]\nn = [1]\nwhere = "m > n"', "void f(int n, int m) {}"),
    "excluded size": (
        'n = "i32"\nx = "in f32[n - 1]"\n[check]\nn = [0, 1, 2]\nwhere = "n >= 1"',
        "void f(int n, const float *x) {}",
    ),
    "scalar list": ('a = "f32"\n[check]\na = [0.5, 1]\n[time]\na = 2', "void f(float a) {}"),
    "subset": ("[time]\nn = 4", "void f(int n, float *x) { x[n] = 0; }"),
    "times": ('n = "i32"\n[[time]]\nn = 4\nweight = 2\n[[time]]\nn = 8\ncache = "cold"', "void f(int n) {}"),
    "empty": ("", "void f(int n) {}"),
}
