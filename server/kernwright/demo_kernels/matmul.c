/* kernwright
[args]
n = "i32"
a = "in f32[n, n] in -1..1"
b = "in f32[n, n] in -1..1"
c = "out f32[n, n]"
[check]
n = [0, 1, 7, 33, 64]
tolerance = {rel = 1e-4, abs = 1e-4}
no_overlap = true
[time]
n = 96
*/
void matmul(int n, const float *a, const float *b, float *c)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0.0f;
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}
