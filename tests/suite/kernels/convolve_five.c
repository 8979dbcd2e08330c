/* kernwright
[args]
n = "i32"
x = "in f32[n + 4] in -1..1"
w = "in f32[5] in -1..1"
y = "out f32[n]"
[check]
n = [0, 1, 7, 64, 1000]
no_overlap = true
tolerance = {rel = 1e-5, abs = 1e-5}
[time]
n = 16_000
*/
void convolve_five(int n, const float *x, const float *w, float *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int k = 0; k < 5; k++)
            y[i] += x[i + k] * w[k];
    }
}
