/* kernwright
[args]
n = "i32"
x = "in f32[n] in 1..100"
return = "f32"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 50_000
*/
float lowest(int n, const float *x) {
  float low = 1000;
  for (int i = 0; i < n; ++i)
    if (x[i] < low)
      low = x[i];
  return low;
}
