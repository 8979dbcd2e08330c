/* kernwright
[args]
n = "i32"
x = "f64 in -1..1"
c = "in f64[n] in -1..1"
return = "f64"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 8_000
*/
double horner(int n, double x, const double *c)
{
    double r = 0;
    for (int i = n - 1; i >= 0; i--)
        r = r * x + c[i];
    return r;
}
