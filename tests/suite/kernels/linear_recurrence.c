/* kernwright
[args]
n = "i32"
a = "inout f32[n] in -1..1"
b = "in f32[n] in -1..1"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 32_000
*/
void linear_recurrence(int n, float *a, const float *b)
{
    for (int i = 1; i < n; i++)
        a[i] = a[i - 1] * b[i] + 0.25f;
}
