/* kernwright
[args]
n = "i32"
total = "f32 in 0.5..100"
x = "in f32[n] in 0..1"
y = "out f32[n]"
[check]
n = [0, 1, 7, 64, 1000]
tolerance = {rel = 1e-6}
no_overlap = true
[time]
n = 4_000
*/
void over_total(int n, float total, const float *x, float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] / total;
}
