/* kernwright
[args]
n = "i32"
x = "inout f32[n] in -1..1"
a = "in f32[n, n] in -1..1"
y = "in f32[n] in -1..1"
[check]
n = [0, 1, 7, 33, 64]
no_overlap = true
tolerance = {rel = 1e-5, abs = 1e-4}
[time]
n = 256
*/
/* x += transpose(a) * y */
void mvt_second(int n, float *x, const float *a, const float *y)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x[i] += a[j * n + i] * y[j];
}
