/* kernwright
[args]
n = "u32"
x = "inout u16[n]"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 50_000
*/
void swap_pairs(unsigned n, unsigned short *x) {
  for (unsigned i = 0; i + 1 < n; i += 2) {
    unsigned short t = x[i];
    x[i] = x[i + 1];
    x[i + 1] = t;
  }
}
