void clear_sized(int *cell, int width, int height)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            cell[y * 64 + x] = 0;
}
