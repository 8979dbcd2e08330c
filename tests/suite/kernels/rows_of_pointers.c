/* kernwright
[args]
m = "i32"
n = "i32"
a = "in f32[m][n] in 0..1"
y = "out f32[m]"
[check]
m = [0, 1, 5]
n = [0, 1, 7, 100]
tolerance = {rel = 1e-5}
no_overlap = true
[time]
m = 64
n = 1000
*/
void rows_of_pointers(int m, int n, float **a, float *y)
{
    for (int i = 0; i < m; i++) {
        float s = 0;
        for (int j = 0; j < n; j++)
            s += a[i][j];
        y[i] = s;
    }
}
