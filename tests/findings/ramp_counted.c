void ramp_counted(float *y, float step, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = (float)i * step;
}
