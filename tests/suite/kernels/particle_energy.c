typedef struct particle {
    float mass, vx, vy, vz;
} particle;

/* kernwright
[args]
n = "i32"
p = "in particle[n] in 0.5..1"
return = "f32"
[check]
n = [0, 1, 7, 64, 1000]
tolerance = {rel = 1e-4}
[time]
n = 8_000
*/
float particle_energy(int n, const particle *p)
{
    float e = 0;
    for (int i = 0; i < n; i++)
        e += p[i].mass * (p[i].vx * p[i].vx + p[i].vy * p[i].vy + p[i].vz * p[i].vz);
    return e;
}
