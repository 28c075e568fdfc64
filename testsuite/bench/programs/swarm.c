/* swarm.c - particles in eight arrays, moved step by step.
   SPDX-License-Identifier: GPL-3.0-or-later

     swarm [STEPS [PARTICLES [SEED]]]

   Positions, speeds and two weights are arrays of their own, held by pointers
   in a struct: the loop has eight bases that may all overlap.  -DHAND has
   restrict.  */

#include <stdio.h>
#include <stdlib.h>

#ifdef HAND
#define RESTRICT restrict
#define BY_HAND __attribute__ ((optimize ("O3"), noinline))
#else
#define RESTRICT
#define BY_HAND __attribute__ ((noinline))
#endif

struct swarm
{
  int count;
  float dt, drag;
  float *x, *y, *z, *vx, *vy, *vz, *mass, *charge;
};

#ifdef HAND
BY_HAND static void
move_arrays (float *restrict x, float *restrict y, float *restrict z,
	     float *restrict vx, float *restrict vy, float *restrict vz,
	     const float *restrict mass, const float *restrict charge,
	     float dt, float drag, int n)
{
  for (int i = 0; i < n; i++)
    {
      float f = charge[i] * mass[i];
      vx[i] = vx[i] * drag - f * x[i] * dt;
      vy[i] = vy[i] * drag - f * y[i] * dt;
      vz[i] = vz[i] * drag - f * z[i] * dt;
      x[i] += vx[i] * dt;
      y[i] += vy[i] * dt;
      z[i] += vz[i] * dt;
    }
}
#endif

BY_HAND static void
move (struct swarm *s)
{
#ifdef HAND
  move_arrays (s->x, s->y, s->z, s->vx, s->vy, s->vz, s->mass, s->charge, s->dt,
	       s->drag, s->count);
#else
  for (int i = 0; i < s->count; i++)
    {
      float f = s->charge[i] * s->mass[i];
      s->vx[i] = s->vx[i] * s->drag - f * s->x[i] * s->dt;
      s->vy[i] = s->vy[i] * s->drag - f * s->y[i] * s->dt;
      s->vz[i] = s->vz[i] * s->drag - f * s->z[i] * s->dt;
      s->x[i] += s->vx[i] * s->dt;
      s->y[i] += s->vy[i] * s->dt;
      s->z[i] += s->vz[i] * s->dt;
    }
#endif
}

/* Sums through a pointer.  */

struct report
{
  int low, high, above;
};

BY_HAND static void
survey (const int *heights, int count, struct report *r)
{
#ifdef HAND
  int low = r->low, high = r->high, above = r->above;
  for (int i = 0; i < count; i++)
    {
      low += heights[i] & 15;
      high += heights[i] >> 4;
      above += heights[i] > 100;
    }
  r->low = low, r->high = high, r->above = above;
#else
  for (int i = 0; i < count; i++)
    {
      r->low += heights[i] & 15;
      r->high += heights[i] >> 4;
      r->above += heights[i] > 100;
    }
#endif
}

static float *
array (int count, unsigned *seed)
{
  float *a = malloc (sizeof *a * count);
  if (!a) exit (1);
  for (int i = 0; i < count; i++)
    a[i] = (((*seed = *seed * 1664525 + 1013904223) >> 16) % 1000) / 1000.0f;
  return a;
}

int
main (int argc, char **argv)
{
  int steps = argc > 1 ? atoi (argv[1]) : 20000;
  int count = argc > 2 ? atoi (argv[2]) : 8000;
  unsigned seed = argc > 3 ? atoi (argv[3]) : 1;
  float *a[8];
  for (int i = 0; i < 8; i++)
    a[i] = array (count, &seed);
  struct swarm s = { count, 0.01f, 0.999f, a[0], a[1], a[2], a[3],
		     a[4],  a[5],  a[6],   a[7] };
  int *heights = malloc (count * sizeof *heights);
  struct report r = { 0, 0, 0 };
  if (!heights) exit (1);
  for (int step = 0; step < steps; step++)
    {
      if (step % 64 == 0)
	for (int i = 0; i < count; i++)
	  heights[i] = (int) (s.z[i] * 100);
      move (&s);
      survey (heights, count, &r);
    }
  printf ("%d %d %d %.3f\n", r.low, r.high, r.above, s.x[count / 2]);
  return 0;
}
