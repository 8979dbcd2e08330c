struct vertex { float x, y, z, u, v, w; int material, flags; };

int lowest_material(const struct vertex *v, int n)
{
    int low = v[0].material;
    for (int i = 1; i < n; i++)
        low = v[i].material < low ? v[i].material : low;
    return low;
}
