/* kernwright
[args]
n = "i32"
x = "in u8[n]"
count = "out i32[256]"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 50_000
*/
void levels(int n, const unsigned char *x, int *count) {
  for (int k = 0; k < 256; ++k)
    count[k] = 0;
  for (int i = 0; i < n; ++i)
    ++count[x[i]];
}
