void amplify(float *y, const float *x, const int *place, const float *gain, int n)
{
    for (int i = 0; i < n; i++)
        y[place[i]] += x[i] * gain[0];
}
