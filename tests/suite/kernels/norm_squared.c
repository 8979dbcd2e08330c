#include <stddef.h>

/* kernwright
[args]
n = "u64"
x = "in f32[n] in -8..8"
out = "out f32[1]"
[check]
n = [0, 1, 7, 64, 1000]
tolerance = {rel = 1e-5}
no_overlap = true
[time]
n = 20_000
*/
void norm_squared(const float *x, size_t n, float *out)
{
	*out = 0;
	for (size_t i = 0; i < n; i++)
		*out += x[i] * x[i];
}
