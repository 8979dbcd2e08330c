/* kernwright
[args]
n = "i32"
floor = "f32 in 0..0"
x = "in f32[n] in 1..2"
return = "i32"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 32_000
*/
/* Where a level first falls under the floor; n if it never does. */
int first_below(int n, float floor, const float *x)
{
    int i;
    for (i = 0; i < n; i++) {
        if (x[i] < floor)
            break;
    }
    return i;
}
