/* kernwright
[args]
rows = "i32"
cols = "i32"
a = "in i32[rows, cols] in -1000..1000"
y = "inout i32[rows] in -1000..1000"
[check]
rows = [0, 1, 7, 33]
cols = [0, 1, 8, 100]
no_overlap = true
[time]
rows = 200
cols = 300
*/
void row_sums(int rows, int cols, const int *a, int *y)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            y[i] += a[i * cols + j];
}
