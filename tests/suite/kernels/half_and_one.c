/* kernwright
[args]
n = "i32"
x = "in f32[n] in -4..4"
y = "out f32[n]"
[check]
n = [0, 1, 7, 64, 1000]
tolerance = {rel = 1e-6, abs = 1e-6}
no_overlap = true
[time]
n = 8_000
*/
void half_and_one(int n, const float *x, float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] * 0.3 + 1.1;
}
