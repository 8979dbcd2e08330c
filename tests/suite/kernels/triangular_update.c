/* kernwright
[args]
n = "i32"
a = "inout f64[n, n] in -1..1"
x = "in f64[n] in -1..1"
[check]
n = [0, 1, 7, 33]
no_overlap = true
[time]
n = 256
*/
/* Adds x * transpose(x) to the lower triangle. */
void triangular_update(int n, double *a, const double *x)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            a[i * n + j] += x[i] * x[j];
}
