int ramp(float *y, float step)
{
    int i = 0;
    for (float t = 0.0f; t < 1.0f; t += step)
        y[i++] = t;
    return i;
}
