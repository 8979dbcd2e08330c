int slots_in_use;

void mark_floats(float *slot)
{
    for (int i = 0; i < slots_in_use; i++)
        slot[i] = 1.0f;
}
