/* Kernels of many kinds with the contracts that people would write; inference has to find the same. */
#include <math.h>
#include <stddef.h>

/* kernwright
[args]
n = "i32"
a = "inout f32[n, n]"
b = "in f32[n, n]"
*/
void syrk(int n, float *a, const float *b) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            for (int k = 0; k < n; k++)
                a[i * n + j] += b[i * n + k] * b[j * n + k];
}

/* kernwright
[args]
n = "i32"
a = "inout f64[n, n]"
*/
void cholesky(int n, double *a) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
            a[i * n + j] /= a[j * n + j];
        }
        for (int k = 0; k < i; k++)
            a[i * n + i] -= a[i * n + k] * a[i * n + k];
        a[i * n + i] = sqrt(a[i * n + i]);
    }
}

/* kernwright
[args]
n = "i32"
a = "inout f64[n, n]"
*/
void eliminate(int n, double *a) {
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            a[i * n + k] /= a[k * n + k];
            for (int j = k + 1; j < n; j++)
                a[i * n + j] -= a[i * n + k] * a[k * n + j];
        }
}

/* kernwright
[args]
n = "i32"
path = "inout i32[n, n]"
*/
void floyd(int n, int *path) {
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                int t = path[i * n + k] + path[k * n + j];
                if (t < path[i * n + j])
                    path[i * n + j] = t;
            }
}

/* kernwright
[args]
m = "i32"
n = "i32"
data = "inout f64[n, m]"
mean = "out f64[m]"
cov = "out f64[m, m]"
*/
void covariance(int m, int n, double *data, double *mean, double *cov) {
    for (int j = 0; j < m; j++) {
        mean[j] = 0;
        for (int i = 0; i < n; i++)
            mean[j] += data[i * m + j];
        mean[j] /= n;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            data[i * m + j] -= mean[j];
    for (int i = 0; i < m; i++)
        for (int j = i; j < m; j++) {
            cov[i * m + j] = 0;
            for (int k = 0; k < n; k++)
                cov[i * m + j] += data[k * m + i] * data[k * m + j];
            cov[i * m + j] /= n - 1;
            cov[j * m + i] = cov[i * m + j];
        }
}

/* kernwright
[args]
t = "i32"
n = "i32"
ex = "inout f32[n, n]"
hz = "inout f32[n, n]"
*/
void field_step(int t, int n, float *ex, float *hz) {
    for (int s = 0; s < t; s++) {
        for (int i = 0; i < n; i++)
            for (int j = 1; j < n; j++)
                ex[i * n + j] -= 0.5f * (hz[i * n + j] - hz[i * n + j - 1]);
        for (int i = 0; i < n - 1; i++)
            for (int j = 0; j < n - 1; j++)
                hz[i * n + j] -= 0.7f * (ex[i * n + j + 1] - ex[i * n + j]);
    }
}

/* kernwright
[args]
n = "i32"
r = "in f64[n]"
p = "in f64[n]"
a = "in f64[n, n]"
q = "out f64[n]"
s = "out f64[n]"
*/
void bicg(int n, const double *r, const double *p, const double *a, double *q, double *s) {
    for (int i = 0; i < n; i++)
        s[i] = 0;
    for (int i = 0; i < n; i++) {
        q[i] = 0;
        for (int j = 0; j < n; j++) {
            s[j] += r[i] * a[i * n + j];
            q[i] += a[i * n + j] * p[j];
        }
    }
}

/* kernwright
[args]
n = "i32"
a = "inout f32[n]"
b = "in f32[n]"
*/
void shift_up(int n, float *a, const float *b) {
    for (int i = n - 2; i >= 0; i--)
        a[i + 1] = a[i] + b[i];
}

/* kernwright
[args]
n = "i32"
a = "inout f32[n]"
b = "in f32[n]"
*/
void odd_sums(int n, float *a, const float *b) {
    for (int i = 1; i < n; i += 2)
        a[i] = a[i - 1] + b[i];
}

/* kernwright
[args]
n = "i32"
aa = "inout f32[n, n]"
bb = "in f32[n, n]"
*/
void from_transpose(int n, float *aa, const float *bb) {
    for (int j = 0; j < n; j++)
        for (int i = j + 1; i < n; i++)
            aa[i * n + j] = aa[j * n + i] + bb[i * n + j];
}

/* kernwright
[args]
n = "i32"
a = "inout f32[n]"
b = "inout f32[n]"
c = "in f32[n]"
d = "in f32[n]"
*/
void neighbours(int n, float *a, float *b, const float *c, const float *d) {
    for (int i = 1; i < n - 1; i++) {
        a[i] = b[i - 1] + c[i] * d[i];
        b[i] = b[i + 1] - d[i];
    }
}

/* kernwright
[args]
n = "i32"
a = "inout f32[n]"
b = "in f32[n]"
*/
void stride_four(int n, float *a, const float *b) {
    for (int i = 4; i < n; i++)
        a[i] = a[i - 4] + b[i];
}

/* kernwright
[args]
n = "i32"
k = "i32"
x = "in f32[n + k]"
y = "out f32[n]"
*/
void offset(int n, int k, const float *x, float *y) {
    for (int i = 0; i < n; i++)
        y[i] = x[i + k];
}

/* kernwright
[args]
n = "i32"
k = "i32"
x = "in f32[n]"
y = "out f32[n]"
*/
void moving(int n, int k, const float *x, float *y) {
    for (int i = 0; i < n; i++) {
        float s = 0;
        for (int j = -k; j <= k; j++) {
            int p = i + j;
            if (p < 0)
                p = 0;
            if (p >= n)
                p = n - 1;
            s += x[p];
        }
        y[i] = s / (2 * k + 1);
    }
}

/* kernwright
[args]
h = "i32"
w = "i32"
src = "in u8[h, w]"
dst = "inout u8[h, w]"
*/
void sobel(int h, int w, const unsigned char *src, unsigned char *dst) {
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            int above = src[(y - 1) * w + x + 1] - src[(y - 1) * w + x - 1];
            int here = src[y * w + x + 1] - src[y * w + x - 1];
            int below = src[(y + 1) * w + x + 1] - src[(y + 1) * w + x - 1];
            int gx = above + 2 * here + below;
            int v = gx < 0 ? -gx : gx;
            dst[y * w + x] = v > 255 ? 255 : v;
        }
}

/* kernwright
[args]
n = "i32"
rgb = "in u8[n, 3]"
y = "out u8[n]"
*/
void gray(int n, const unsigned char *rgb, unsigned char *y) {
    for (int i = 0; i < n; i++) {
        const unsigned char *p = rgb + 3 * i;
        y[i] = (77 * p[0] + 150 * p[1] + 29 * p[2]) >> 8;
    }
}

/* kernwright
[args]
c = "i32"
h = "i32"
w = "i32"
k = "i32"
x = "in f32[c, h, w]"
f = "in f32[k, c, 3, 3]"
y = "out f32[k, h - 2, w - 2]"
*/
void conv(int c, int h, int w, int k, const float *x, const float *f, float *y) {
    for (int o = 0; o < k; o++)
        for (int i = 0; i < h - 2; i++)
            for (int j = 0; j < w - 2; j++) {
                float s = 0;
                for (int q = 0; q < c; q++)
                    for (int u = 0; u < 3; u++)
                        for (int v = 0; v < 3; v++)
                            s += x[(q * h + i + u) * w + j + v] * f[((o * c + q) * 3 + u) * 3 + v];
                y[(o * (h - 2) + i) * (w - 2) + j] = s;
            }
}

/* kernwright
[args]
m = "i32"
n = "i32"
x = "in f32[m, n]"
y = "out f32[m, n]"
*/
void softmax(int m, int n, const float *x, float *y) {
    for (int i = 0; i < m; i++) {
        float top = x[i * n];
        for (int j = 1; j < n; j++)
            if (x[i * n + j] > top)
                top = x[i * n + j];
        float s = 0;
        for (int j = 0; j < n; j++) {
            y[i * n + j] = expf(x[i * n + j] - top);
            s += y[i * n + j];
        }
        for (int j = 0; j < n; j++)
            y[i * n + j] /= s;
    }
}

/* kernwright
[args]
m = "i32"
n = "i32"
x = "in f32[m, n]"
g = "in f32[n]"
b = "in f32[n]"
y = "out f32[m, n]"
eps = "f32"
*/
void layernorm(int m, int n, const float *x, const float *g, const float *b, float *y, float eps) {
    for (int i = 0; i < m; i++) {
        const float *r = x + i * n;
        float mu = 0, v = 0;
        for (int j = 0; j < n; j++)
            mu += r[j];
        mu /= n;
        for (int j = 0; j < n; j++)
            v += (r[j] - mu) * (r[j] - mu);
        v = 1.0f / sqrtf(v / n + eps);
        float *o = y + i * n;
        for (int j = 0; j < n; j++)
            o[j] = (r[j] - mu) * v * g[j] + b[j];
    }
}

/* kernwright
[args]
n = "i32"
x = "inout f64[n, 3]"
v = "inout f64[n, 3]"
m = "in f64[n]"
dt = "f64"
*/
void nbody(int n, double (*x)[3], double (*v)[3], const double *m, double dt) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double r = 0, d[3];
            for (int k = 0; k < 3; k++) {
                d[k] = x[j][k] - x[i][k];
                r += d[k] * d[k];
            }
            for (int k = 0; k < 3; k++)
                v[i][k] += dt * m[j] * d[k] / (r + 1e-9);
        }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            x[i][k] += dt * v[i][k];
}

/* kernwright
[args]
n = "i32"
re = "inout f32[n]"
im = "inout f32[n]"
wr = "in f32[n / 2]"
wi = "in f32[n / 2]"
[check]
where = "n % 2 == 0"
*/
void butterfly(int n, float *re, float *im, const float *wr, const float *wi) {
    int h = n / 2;
    for (int i = 0; i < h; i++) {
        float a = re[i + h] * wr[i] - im[i + h] * wi[i], b = re[i + h] * wi[i] + im[i + h] * wr[i];
        re[i + h] = re[i] - a;
        im[i + h] = im[i] - b;
        re[i] += a;
        im[i] += b;
    }
}

/* kernwright
[args]
n = "i32"
x = "in u8[n]"
return = "u32"
*/
unsigned adler(const unsigned char *x, int n) {
    unsigned a = 1, b = 0;
    for (int i = 0; i < n; i++) {
        a = (a + x[i]) % 65521;
        b = (b + a) % 65521;
    }
    return (b << 16) | a;
}

/* kernwright
[args]
n = "i32"
x = "in f32[n]"
mean = "out f32[1]"
var = "out f32[1]"
*/
void stats(int n, const float *x, float *mean, float *var) {
    float s = 0, q = 0;
    for (int i = 0; i < n; i++) {
        s += x[i];
        q += x[i] * x[i];
    }
    *mean = s / n;
    *var = q / n - (s / n) * (s / n);
}

/* kernwright
[args]
m = "i32"
n = "i32"
p = "i32"
a = "in f64[m][n]"
b = "in f64[n][p]"
c = "out f64[m][p]"
*/
void rows_product(int m, int n, int p, double **a, double **b, double **c) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < p; j++) {
            c[i][j] = 0;
            for (int k = 0; k < n; k++)
                c[i][j] += a[i][k] * b[k][j];
        }
}

/* kernwright
[args]
n = "u64"
x = "in f32[n]"
y = "inout f32[n]"
*/
void diff(size_t n, const float *x, float *y) {
    for (size_t i = 0; i + 1 < n; i++)
        y[i] = x[i + 1] - x[i];
}

/* kernwright
[args]
n = "i32"
a = "in f32[n]"
b = "in f32[n]"
c = "out f32[2*n]"
*/
void zip(int n, const float *a, const float *b, float *c) {
    for (int i = 0; i < n; i++) {
        c[2 * i] = a[i];
        c[2 * i + 1] = b[i];
    }
}

/* kernwright
[args]
na = "i32"
nb = "i32"
a = "in i32[na] sorted"
b = "in i32[nb] sorted"
c = "out i32[na + nb]"
*/
void merge(int na, int nb, const int *a, const int *b, int *c) {
    int i = 0, j = 0, k = 0;
    while (i < na && j < nb)
        c[k++] = a[i] < b[j] ? a[i++] : b[j++];
    while (i < na)
        c[k++] = a[i++];
    while (j < nb)
        c[k++] = b[j++];
}

/* kernwright
[args]
n = "i32"
x = "inout i32[n]"
*/
void bubble(int n, int *x) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j + 1 < n - i; j++)
            if (x[j] > x[j + 1]) {
                int t = x[j];
                x[j] = x[j + 1];
                x[j + 1] = t;
            }
}

/* kernwright
[args]
n = "i32"
x = "in i32[n] sorted"
key = "i32"
return = "i32"
*/
int lower_place(int n, const int *x, int key) {
    int lo = 0, hi = n;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (x[mid] < key)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* kernwright
[args]
n = "i32"
m = "i32"
a = "in u8[n]"
b = "in u8[m]"
d = "inout i32[n + 1, m + 1]"
*/
void edit(int n, int m, const unsigned char *a, const unsigned char *b, int *d) {
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= m; j++) {
            int c = d[(i - 1) * (m + 1) + j - 1] + (a[i - 1] != b[j - 1]);
            int e = d[(i - 1) * (m + 1) + j] + 1;
            int f = d[i * (m + 1) + j - 1] + 1;
            d[i * (m + 1) + j] = c < e ? (c < f ? c : f) : (e < f ? e : f);
        }
}
