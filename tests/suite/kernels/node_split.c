/* kernwright
[args]
n = "i32"
a = "inout f32[n + 1] in -2..2"
b = "inout f32[n] in -2..2"
c = "in f32[n] in -2..2"
d = "in f32[n] in -2..2"
[check]
n = [0, 1, 7, 64, 1000]
no_overlap = true
[time]
n = 32_000
*/
void node_split(int n, float *a, float *b, const float *c, const float *d)
{
    for (int i = 0; i < n; i++) {
        a[i] = b[i] * c[i] * d[i];
        b[i] = a[i] * a[i + 1] * d[i];
    }
}
