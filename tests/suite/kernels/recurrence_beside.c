/* kernwright
[args]
n = "i32"
a = "in f32[n] in 0..1"
b = "inout f32[n] in 0..1"
c = "out f32[n]"
d = "in f32[n] in 0..1"
[check]
n = [0, 1, 7, 64, 1000]
no_overlap = true
[time]
n = 32_000
*/
/* One statement carries a value from turn to turn, the other does not. */
void recurrence_beside(int n, const float *a, float *b, float *c, const float *d)
{
    for (int i = 1; i < n; i++) {
        b[i] = b[i - 1] * 0.5f + a[i];
        c[i] = (a[i] + d[i]) * (a[i] - d[i]) / (1.0f + d[i] * d[i]);
    }
}
