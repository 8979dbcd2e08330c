/* kernwright
[args]
n = "i32"
a = "in u8[n]"
b = "in u8[n]"
return = "i32"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 32_000
*/
/* Sum of absolute differences of two rows of pixels. */
int sum_of_absolutes_u8(int n, const unsigned char *a, const unsigned char *b)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        int d = a[i] - b[i];
        s += d < 0 ? -d : d;
    }
    return s;
}
