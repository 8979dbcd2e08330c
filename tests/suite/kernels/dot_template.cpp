/* kernwright
[args]
n = "i32"
x = "in f32[n] in -1..1"
y = "in f32[n] in -1..1"
return = "f32"
[check]
n = [0, 1, 7, 64, 1000]
tolerance = {rel = 1e-4, abs = 1e-4}
[time]
n = 16_000
[build]
instantiate = "dot_template<float>"
*/
template <typename T>
T dot_template(int n, const T *x, const T *y)
{
    T s = 0;
    for (int i = 0; i < n; ++i)
        s += x[i] * y[i];
    return s;
}
