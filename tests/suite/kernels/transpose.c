/* kernwright
[args]
n = "i32"
a = "in f32[n, n]"
b = "out f32[n, n]"
[check]
n = [0, 1, 7, 33, 64]
no_overlap = true
[time]
n = 1024
*/
void transpose(int n, const float *a, float *b)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[j * n + i] = a[i * n + j];
}
