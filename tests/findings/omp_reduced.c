float omp_reduced(const float *x, int n)
{
    float s = 0.0f;
#pragma omp simd reduction(+ : s)
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}
