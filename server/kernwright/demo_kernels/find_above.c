/* kernwright
[args]
n = "i32"
x = "in f32[n] in 0..1"
limit = "f32 in 0..2"
return = "i32"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 32_000
limit = 1.5
*/
int find_above(int n, const float *x, float limit)
{
    for (int i = 0; i < n; i++)
        if (x[i] > limit)
            return i;
    return -1;
}
