/* kernwright
[args]
n = "i32"
a = "out f32[n]"
b = "in f32[n] in -2..2"
[check]
n = [0, 1, 7, 64, 1000]
no_overlap = true
[time]
n = 32_000
*/
/* Each element with its left neighbour on a ring. */
void wrap_around(int n, float *a, const float *b)
{
    int left = n - 1;
    for (int i = 0; i < n; i++) {
        a[i] = (b[i] + b[left]) * 0.5f;
        left = i;
    }
}
