/* kernwright
[args]
n = "i32"
x = "inout f32[n] in -1..1"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 3_000_000
*/
void spread(int n, float *x) {
  float before = 0;
  for (int i = 0; i < n; ++i) {
    float now = x[i];
    x[i] = now + before;
    before = now;
  }
}
