/* kernwright
[args]
n = "i32"
x = "in f32[n] in 0..1"
return = "f32"
[check]
n = [1, 7, 64, 1000, 50_000]
tolerance = {rel = 0.05}
[time]
n = 50_000
*/
float mean(int n, const float *x) {
  float s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i];
  return s / n;
}
