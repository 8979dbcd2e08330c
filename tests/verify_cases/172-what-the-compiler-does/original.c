/* kernwright
[args]
n = "i32"
x = "in f32[n] in -1..1"
y = "inout f32[n] in -1..1"
[check]
n = [0, 1, 7, 64, 1000]
no_overlap = true
[time]
n = 50_000
*/
void add(int n, const float *restrict x, float *restrict y) {
  for (int i = 0; i < n; ++i)
    y[i] += x[i];
}
