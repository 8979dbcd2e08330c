/* kernwright
[args]
n = "i32"
a = "in f32[n, n] in -1..1"
b = "in f32[n, n] in -1..1"
c = "out f32[n, n]"
[check]
n = [0, 1, 2, 7, 33]
no_overlap = true
tolerance = {rel = 1e-4, abs = 1e-4}
[time]
n = 512
*/
void matmul_naive(int n, const float *a, const float *b, float *c)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float s = 0;
            for (int k = 0; k < n; k++)
                s += a[i * n + k] * b[k * n + j];
            c[i * n + j] = s;
        }
}
