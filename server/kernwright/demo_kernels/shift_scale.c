/* kernwright
[args]
n = "i32"
a = "inout f32[n + 1] in -1..1"
b = "inout f32[n + 1] in -1..1"
c = "in f32[n + 1] in -1..1"
[check]
n = [1, 7, 64, 1000]
no_overlap = true
[time]
n = 32_000
*/
void shift_scale(int n, float *a, float *b, const float *c)
{
    for (int i = 0; i < n; i++) {
        a[i] = a[i] * c[i];
        b[i] = b[i] + a[i + 1] * c[i];
    }
}
