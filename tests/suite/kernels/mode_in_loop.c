/* kernwright
[args]
n = "i32"
mode = "i32 in 0..2"
x = "in f32[n] in 0.5..4"
y = "out f32[n]"
[check]
n = [0, 1, 7, 64, 1000]
no_overlap = true
[time]
n = 32_000
*/
/* The mode is the same for every element. */
void mode_in_loop(int n, int mode, const float *x, float *y)
{
    for (int i = 0; i < n; i++) {
        if (mode == 0)
            y[i] = x[i] * 2.0f;
        else if (mode == 1)
            y[i] = x[i] + 1.0f;
        else
            y[i] = 1.0f / x[i];
    }
}
