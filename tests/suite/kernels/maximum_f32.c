/* kernwright
[args]
n = "i32"
x = "in f32[n] in 1..100"
return = "f32"
[check]
n = [1, 7, 64, 1000]
where = "n >= 1"
[time]
n = 32_000
*/
float maximum_f32(int n, const float *x)
{
    float m = x[0];
    for (int i = 1; i < n; i++)
        if (x[i] > m)
            m = x[i];
    return m;
}
