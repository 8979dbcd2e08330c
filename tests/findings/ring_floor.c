void ring_floor(float *line, int taps, int steps)
{
    for (int s = 0; s < steps; s++)
        for (int i = 0; i < taps; i++) {
            line[i] *= 0.97f;
            if (line[i] < 1e-20f)
                line[i] = 0.0f;
        }
}
