/* kernwright
[args]
n = "i32"
level = "inout i32[n] in -100000..100000"
outflow = "in i32[n] in -1000..1000"
days = "in i32[1] in 0..n"
[check]
n = [0, 1, 7, 64, 1000]
no_overlap = true
[time]
n = 32_000
*/
/* Takes the outflow of each day off the stored level. */
void bound_in_memory(int n, int *level, const int *outflow, const int *days)
{
    for (int d = 0; d < *days; d++)
        level[d] -= 2 * outflow[d];
    (void)n;
}
