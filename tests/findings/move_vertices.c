struct point { float x, y; };

void move_vertices(struct point *p, int n, float dx, float dy)
{
    for (int i = 0; i < n; i++) {
        p[i].x += dx;
        p[i].y += dy;
    }
}
