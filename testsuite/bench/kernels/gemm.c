/* gemm.c - dense matrix product, rows times rows of the transposed matrix.
   SPDX-License-Identifier: GPL-3.0-or-later  */
#include <stdio.h>

enum { N = 1000 };
static double a[N][N], b[N][N], c[N][N];

int
main (void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      {
	a[i][j] = (i * j) % 7 + 1;
	b[i][j] = (i + j) % 5 - 2;
      }
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++)
      {
	double x = a[i][k];
	for (int j = 0; j < N; j++)
	  c[i][j] += x * b[k][j];
      }
  double sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += c[i][j] * (i - j);
  printf ("%.6e\n", sum);
  return 0;
}
