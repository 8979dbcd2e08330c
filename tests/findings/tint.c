void tint(int height, unsigned char image[][1024], int amount)
{
    for (int x = 0; x < 1024; x++)
        for (int y = 0; y < height; y++)
            image[y][x] = (unsigned char)(image[y][x] + amount);
}
