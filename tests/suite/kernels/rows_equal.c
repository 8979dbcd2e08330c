/* kernwright
[args]
n = "i32"
a = "in u8[n] in 7..7"
b = "in u8[n] in 7..7"
return = "i32"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 32_000
*/
/* 1 when two rows agree. */
int rows_equal(int n, const unsigned char *a, const unsigned char *b)
{
    for (int i = 0; i < n; i++) {
        if (a[i] != b[i])
            return 0;
    }
    return 1;
}
