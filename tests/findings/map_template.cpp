template <class F> void map_template(float *x, int n, F f)
{
    for (int i = 0; i < n; i++)
        x[i] = f(x[i]);
}
