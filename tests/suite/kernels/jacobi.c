/* kernwright
[args]
n = "i32"
a = "in f32[n, n] in -1..1"
b = "inout f32[n, n]"
[check]
n = [1, 2, 3, 17, 64]
where = "n >= 1"
no_overlap = true
[time]
n = 512
*/
void jacobi(int n, const float *a, float *b)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            b[i * n + j] = 0.25f * (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1]);
}
