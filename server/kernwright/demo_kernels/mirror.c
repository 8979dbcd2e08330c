/* kernwright
[args]
n = "i32"
a = "inout f32[n] in -1..1"
b = "in f32[n] in -1..1"
[check]
n = [0, 1, 7, 64, 1000]
no_overlap = true
[time]
n = 32_000
*/
void mirror(int n, float *a, const float *b)
{
    for (int i = 0; i < n; i++)
        a[i] = a[n - 1 - i] + b[i];
}
