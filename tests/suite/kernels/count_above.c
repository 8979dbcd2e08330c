/* kernwright
[args]
n = "i32"
t = "f32 in -1..1"
x = "in f32[n] in -1..1"
return = "i32"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 32_000
*/
int count_above(int n, float t, const float *x)
{
    int c = 0;
    for (int i = 0; i < n; i++)
        if (x[i] > t)
            c++;
    return c;
}
