/* kernwright
[args]
n = "i32"
x = "in u32[n]"
y = "out u32[n]"
[check]
n = [0, 1, 7, 64, 1000]
no_overlap = true
[time]
n = 32_000
*/
void copy_words(int n, const unsigned *restrict x, unsigned *restrict y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i];
}
