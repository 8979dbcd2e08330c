/* kernwright
[args]
n = "i32"
a = "in u8[n]"
b = "in u8[n]"
y = "out u8[n]"
[check]
n = [0, 1, 7, 64, 1000]
no_overlap = true
[time]
n = 1_000_000
*/
void add_saturated(int n, const unsigned char *restrict a, const unsigned char *restrict b, unsigned char *restrict y)
{
    for (int i = 0; i < n; i++) {
        int s = a[i] + b[i];
        y[i] = s > 255 ? 255 : s;
    }
}
