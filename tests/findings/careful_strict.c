float careful_strict(const float *x, int n)
{
    float s = 0.0f, c = 0.0f;
    for (int i = 0; i < n; i++) {
        const float y = x[i] - c;
        const float t = s + y;
        c = (t - s) - y;
        s = t;
    }
    return s;
}
