void blank_fixed(int *x)
{
    for (unsigned char i = 0; i < 200; i++)
        x[i] = 0;
}
