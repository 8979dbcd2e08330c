/* kernwright
[args]
n = "i32"
x = "inout f32[n] in -1..1"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 32_000
*/
void smooth(int n, float *x)
{
    for (int i = 1; i < n; i++)
        x[i] = 0.75f * x[i - 1] + 0.25f * x[i];
}
