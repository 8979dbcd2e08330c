/* kernwright
[args]
m = "i32"
a = "inout f32[m, 64] in -4..4"
s = "f32 in 0.5..2"
[check]
m = [0, 1, 7, 33]
[time]
m = 512
*/
void column_walk_2d(int m, float a[][64], float s)
{
    for (int j = 0; j < 64; j++)
        for (int i = 0; i < m; i++)
            a[i][j] = a[i][j] * s + 1.0f;
}
