/* kernwright
[args]
n = "i32"
x = "in f32[n] in 0..1"
y = "out f32[n]"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 32_000
*/
void prefix_exact(int n, const float *x, float *y)
{
    float s = 0;
    for (int i = 0; i < n; i++) {
        s += x[i];
        y[i] = s;
    }
}
