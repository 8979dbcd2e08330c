/* kernwright
[args]
n = "i32"
a = "inout f32[n + 1] in -1..1"
b = "in f32[n + 1] in -1..1"
c = "in f32[n + 1] in -1..1"
d = "out f32[n + 1]"
[check]
n = [1, 7, 64, 1000]
no_overlap = true
[time]
n = 32_000
*/
void node_split(int n, float *a, const float *b, const float *c, float *d)
{
    for (int i = 0; i < n; i++) {
        a[i] = b[i] + c[i];
        d[i] = (a[i] + a[i + 1]) * 0.5f;
    }
}
