/* kernwright
[args]
rows = "i32"
columns = "i32"
a = "in f32[rows, columns] in -1..1"
y = "inout f32[columns]"
[check]
rows = [0, 1, 5, 33]
columns = [1, 8, 67]
tolerance = "exact"
no_overlap = true
[time]
rows = 256
columns = 256
*/
void accumulate_rows(int rows, int columns, const float *a, float *y)
{
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            y[j] = y[j] + a[i * columns + j];
}
