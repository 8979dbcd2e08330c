/* kernwright
[args]
n = "i32"
x = "in f32[n] in 0..1"
return = "f32"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 32_000
*/
/* The same sum where the order of the additions is part of the result. */
float sum_exact(int n, const float *x)
{
    float s = 0.0f;
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}
