/* empty.c - what starting and ending a profile costs.
   SPDX-License-Identifier: GPL-3.0-or-later  */
int
main (void)
{
  return 0;
}
