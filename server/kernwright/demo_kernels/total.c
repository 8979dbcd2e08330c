/* kernwright
[args]
n = "i32"
x = "in f32[n] in -1..1"
return = "f32"
[check]
n = [0, 1, 7, 64, 1000]
tolerance = {rel = 1e-4, abs = 1e-4}
[time]
n = 32_000
*/
float total(int n, const float *x)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}
