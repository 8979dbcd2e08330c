struct clip { int frames; int *levels; };

/* Halves every level. */
void fade_frames(struct clip *c)
{
    for (int i = 0; i < c->frames; i++)
        c->levels[i] /= 2;
}
