/* kernwright
[args]
n = "i32"
x = "in u8[n]"
counts = "inout i32[256] in 0..1000"
[check]
n = [0, 1, 7, 64, 1000]
no_overlap = true
[time]
n = 32_000
*/
void histogram(int n, const unsigned char *x, int *counts)
{
    for (int i = 0; i < n; i++)
        counts[x[i]]++;
}
