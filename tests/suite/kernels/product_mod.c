/* kernwright
[args]
n = "i32"
x = "in u32[n]"
return = "u32"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 16_000
*/
/* A product modulo 2^32 may be taken in any order. */
unsigned product_mod(int n, const unsigned *x)
{
    unsigned p = 1;
    for (int i = 0; i < n; i++)
        p *= x[i] | 1u;
    return p;
}
