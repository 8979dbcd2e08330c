void ring_out(float *line, int taps, int steps)
{
    for (int s = 0; s < steps; s++)
        for (int i = 0; i < taps; i++)
            line[i] *= 0.97f;
}
