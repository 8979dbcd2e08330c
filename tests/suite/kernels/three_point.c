/* kernwright
[args]
n = "i32"
x = "in f32[n] in -1..1"
y = "inout f32[n]"
[check]
n = [0, 1, 7, 64, 1000]
no_overlap = true
[time]
n = 1_000_000
*/
void three_point(int n, const float *restrict x, float *restrict y)
{
    for (int i = 1; i < n - 1; i++)
        y[i] = 0.25f * x[i - 1] + 0.5f * x[i] + 0.25f * x[i + 1];
}
