/* kernwright
[args]
n = "i32"
a = "f32 in -2..2"
x = "in f16[n] in -8..8"
y = "inout f16[n] in -8..8"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 50_000
*/
void axpy_half(int n, float a, const _Float16 *x, _Float16 *y) {
  for (int i = 0; i < n; ++i)
    y[i] = (_Float16)(a * (float)x[i] + (float)y[i]);
}
