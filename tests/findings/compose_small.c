void compose_small(const int a[4][4], const int b[4][4], int c[restrict 4][4])
{
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 4; k++)
                c[i][j] += a[i][k] * b[k][j];
}
