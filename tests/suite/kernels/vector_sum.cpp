#include <vector>

/* kernwright
[args]
n = "i32"
v = "in f32[n] in 0..1"
return = "f32"
[check]
n = [0, 1, 7, 64, 1000]
tolerance = {rel = 1e-5}
[time]
n = 32_000
*/
float vector_sum(const std::vector<float> &v, int n)
{
    float s = 0;
    for (int i = 0; i < n; ++i)
        s += v[i];
    return s;
}
