/* kernwright
[args]
n = "i32"
a = "inout f32[n + 1] in -4..4"
b = "in f32[n] in -4..4"
c = "in f32[n] in -4..4"
d = "out f32[n]"
[check]
n = [0, 1, 7, 64, 1000]
no_overlap = true
[time]
n = 32_000
*/
/* d takes the old neighbour of each element before it is overwritten. */
void shift_split(int n, float *a, const float *b, const float *c, float *d)
{
    for (int i = 0; i < n; i++) {
        a[i] = b[i] + c[i] * c[i];
        d[i] = a[i] + a[i + 1];
    }
}
