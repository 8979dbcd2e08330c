/* kernwright
[args]
n = "i32"
a = "in f32[2*n] in -2..2"
b = "in f32[2*n] in -2..2"
c = "out f32[2*n]"
[check]
n = [0, 1, 7, 64, 1000]
no_overlap = true
tolerance = {rel = 1e-5, abs = 1e-5}
[time]
n = 16_000
*/
/* Interleaved real and imaginary parts. */
void complex_product(int n, const float *a, const float *b, float *c)
{
    for (int i = 0; i < n; i++) {
        c[2 * i] = a[2 * i] * b[2 * i] - a[2 * i + 1] * b[2 * i + 1];
        c[2 * i + 1] = a[2 * i] * b[2 * i + 1] + a[2 * i + 1] * b[2 * i];
    }
}
