/* kernwright
[args]
n = "i32"
a = "inout f32[n, n] in -1..1"
[check]
n = [1, 2, 3, 16, 33]
where = "n >= 1"
[time]
n = 256
*/
/* In place: every point sees the new values above and to the left. */
void gauss_seidel(int n, float *a)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            a[i * n + j] = 0.2f * (a[i * n + j] + a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1]);
}
