void tint_rows(int height, unsigned char image[][1024], int amount)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < 1024; x++)
            image[y][x] = (unsigned char)(image[y][x] + amount);
}
