/* kernwright
[args]
n = "i32"
a = "in f32[n, n] in -1..1"
x = "inout f32[n] in -1..1"
y = "in f32[n] in -1..1"
[check]
n = [0, 1, 7, 33, 64]
tolerance = {rel = 1e-4, abs = 1e-4}
no_overlap = true
[time]
n = 256
*/
void mvt(int n, const float *a, float *x, const float *y)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x[i] = x[i] + a[j * n + i] * y[j];
}
