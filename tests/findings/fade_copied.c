struct clip { int frames; int *levels; };

/* Halves every level. */
void fade_copied(struct clip *c)
{
    const int frames = c->frames;
    int *levels = c->levels;
    for (int i = 0; i < frames; i++)
        levels[i] /= 2;
}
