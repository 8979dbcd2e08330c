/* kernwright
[args]
n = "i32"
key = "i32 in 0..1000000000"
x = "in i32[n] in 0..1000000000"
return = "i32"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 32_000
*/
int find_key(int n, int key, const int *x)
{
    for (int i = 0; i < n; i++)
        if (x[i] == key)
            return i;
    return -1;
}
