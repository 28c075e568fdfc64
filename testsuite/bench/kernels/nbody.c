/* nbody.c - bodies that attract each other, all pairs, records of 64 bytes.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: nbody [BODIES [STEPS]]  */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct body
{
  double x, y, z, mass, vx, vy, vz, energy;
};

static void
attract (struct body *b, int n, double dt)
{
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      {
	double dx = b[i].x - b[j].x, dy = b[i].y - b[j].y, dz = b[i].z - b[j].z;
	double d2 = dx * dx + dy * dy + dz * dz + 0.01;
	double f = dt / (d2 * sqrt (d2));
	b[i].vx -= dx * b[j].mass * f;
	b[i].vy -= dy * b[j].mass * f;
	b[i].vz -= dz * b[j].mass * f;
	b[j].vx += dx * b[i].mass * f;
	b[j].vy += dy * b[i].mass * f;
	b[j].vz += dz * b[i].mass * f;
      }
}

static void
move (struct body *b, int n, double dt)
{
  for (int i = 0; i < n; i++)
    {
      b[i].x += b[i].vx * dt;
      b[i].y += b[i].vy * dt;
      b[i].z += b[i].vz * dt;
      b[i].energy = 0.5 * b[i].mass
	* (b[i].vx * b[i].vx + b[i].vy * b[i].vy + b[i].vz * b[i].vz);
    }
}

int
main (int argc, char **argv)
{
  int n = argc > 1 ? atoi (argv[1]) : 2000, steps = argc > 2 ? atoi (argv[2]) : 40;
  if (n < 1)
    return 2;
  struct body *b = calloc (n, sizeof *b);
  if (!b)
    return 1;
  for (int i = 0; i < n; i++)
    {
      unsigned h = (unsigned) i * 2654435761u;
      b[i] = (struct body) { (h & 1023) / 64.0, (h >> 10 & 1023) / 64.0,
			     (h >> 20 & 1023) / 64.0, 1 + i % 3, 0, 0, 0, 0 };
    }
  double energy = 0;
  for (int s = 0; s < steps; s++)
    {
      attract (b, n, 0.001);
      move (b, n, 0.001);
    }
  for (int i = 0; i < n; i++)
    energy += b[i].energy;
  printf ("%.6e\n", energy);
  return 0;
}
