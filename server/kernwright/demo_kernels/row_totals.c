/* kernwright
[args]
rows = "i32"
columns = "i32"
a = "in i32[rows, columns]"
y = "inout i32[rows] in -1000..1000"
[check]
rows = [0, 1, 5, 33]
columns = [0, 1, 8, 67]
[time]
rows = 256
columns = 256
*/
void row_totals(int rows, int columns, const int *a, int *y)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            y[i] += a[i * columns + j];
}
