/* kernwright
[args]
n = "i32"
x = "in i32[n]"
y = "out i32[n]"
[check]
n = [0, 1, 7, 64, 1000]
no_overlap = true
[time]
n = 32_000
*/
void reverse_copy(int n, const int *x, int *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[n - 1 - i];
}
