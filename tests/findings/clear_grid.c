void clear_grid(int *cell, const int *width, const int *height)
{
    for (int y = 0; y < *height; y++)
        for (int x = 0; x < *width; x++)
            cell[y * 64 + x] = 0;
}
