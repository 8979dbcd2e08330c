/* kernwright
[args]
n = "i32"
l = "in f64[n, n] in 0.1..1"
b = "in f64[n] in -1..1"
x = "out f64[n]"
[check]
n = [0, 1, 2, 7, 33]
no_overlap = true
tolerance = "exact"
[time]
n = 192
*/
void forward_substitution(int n, const double *l, const double *b, double *x)
{
    for (int i = 0; i < n; i++) {
        double s = b[i];
        for (int j = 0; j < i; j++)
            s -= l[i * n + j] * x[j];
        x[i] = s / (l[i * n + i] + 8.0);
    }
}
