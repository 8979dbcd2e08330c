/* kernwright
[args]
n = "i32"
a = "f32 in -4..4"
x = "in f32[n] in -4..4"
y = "inout f32[n] in -4..4"
[check]
n = [0, 1, 7, 64, 1000]
no_overlap = true
[time]
n = 1_000_000
*/
void scale_add(int n, float a, const float *x, float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
