/* kernwright
[args]
n = "i32"
m = "i32"
idx = "in i32[n] in 0..m-1"
x = "in f32[m]"
y = "out f32[n]"
[check]
n = [0, 1, 7, 64, 1000]
m = [1, 64, 1000]
where = "m >= 1"
no_overlap = true
[time]
n = 32_000
m = 100_000
*/
void gather(int n, int m, const int *idx, const float *x, float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[idx[i]];
    (void)m;
}
