/* kernwright
[args]
n = "i32"
a = "inout f32[n] in -2..2"
b = "inout f32[n] in -2..2"
c = "in f32[n] in -2..2"
[check]
n = [0, 1, 7, 64, 1000]
no_overlap = true
[time]
n = 32_000
*/
void crossing(int n, float *a, float *b, const float *c)
{
    for (int i = 0; i < n; i++) {
        float x = a[n - i - 1] + b[i] * c[i];
        a[i] = x - 1.0f;
        b[i] = x;
    }
}
