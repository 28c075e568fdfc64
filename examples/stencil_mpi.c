/* stencil_mpi.c - heat on a plate with holes, on the ranks of an MPI job.
   SPDX-License-Identifier: GPL-3.0-or-later

   Each rank has a band of rows; before each step neighbours exchange their outermost
   rows.  The cells that are metal are visited through a list of their numbers, as codes
   for unstructured meshes do, so the loads of a step are indirect.  doc/scale.md
   profiles it.  */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { k_columns = 128, k_rows = 64 };

struct band { double *now, *next; int *cells; int n; };

static struct band
make_band (int rank)
{
  struct band b = { calloc ((k_rows + 2) * k_columns, sizeof (double)),
		    calloc ((k_rows + 2) * k_columns, sizeof (double)),
		    malloc (k_rows * k_columns * sizeof (int)), 0 };
  for (int r = 1; r <= k_rows; r++)
    for (int c = 1; c < k_columns - 1; c++)
      if ((r * 31 + c * 17 + rank) % 5 != 0)
	b.cells[b.n++] = r * k_columns + c;
  return b;
}

static void
exchange (double *a, int rank, int size)
{
  int up = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  int down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  MPI_Sendrecv (a + k_columns, k_columns, MPI_DOUBLE, up, 0,
		a + (k_rows + 1) * k_columns, k_columns, MPI_DOUBLE, down, 0,
		MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv (a + k_rows * k_columns, k_columns, MPI_DOUBLE, down, 1,
		a, k_columns, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void
step (struct band *b)
{
  for (int i = 0; i < b->n; i++)
    {
      int k = b->cells[i];
      b->next[k] = b->now[k] + 0.2 * (b->now[k - 1] + b->now[k + 1] + b->now[k - k_columns]
				      + b->now[k + k_columns] - 4 * b->now[k]);
    }
  double *t = b->now;
  b->now = b->next;
  b->next = t;
}

int
main (int argc, char **argv)
{
  int rank, size, steps = argc > 1 ? atoi (argv[1]) : 20;
  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &size);
  struct band b = make_band (rank);
  if (rank == 0)
    for (int c = 0; c < k_columns; c++)
      b.now[c] = b.next[c] = 100;
  for (int s = 0; s < steps; s++)
    {
      exchange (b.now, rank, size);
      step (&b);
    }
  double own = 0, all = 0;
  for (int i = 0; i < b.n; i++)
    own += b.now[b.cells[i]];
  MPI_Reduce (&own, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf ("%.6f\n", all);
  free (b.now), free (b.next), free (b.cells);
  MPI_Finalize ();
  return 0;
}
