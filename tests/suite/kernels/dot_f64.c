/* kernwright
[args]
n = "i32"
x = "in f64[n] in -1..1"
y = "in f64[n] in -1..1"
return = "f64"
[check]
n = [0, 1, 7, 64, 1000]
tolerance = {rel = 1e-9, abs = 1e-9}
[time]
n = 16_000
*/
double dot_f64(int n, const double *x, const double *y)
{
    double s = 0.0;
    for (int i = 0; i < n; ++i) {
        s += x[i] * y[i]; /* one chain of additions */
    }
    return s;
}
