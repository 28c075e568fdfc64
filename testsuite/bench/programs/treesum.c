/* treesum.c - an ordered index as a binary tree: build, sum, look up.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: treesum [KEYS [SEED [ROUNDS]]]

   Keys come in random order and each brings a text of its own, so that nodes
   that are neighbours in the tree are far apart in memory, with texts in
   between.  Each round sums the values in the order of the keys and looks up as
   many random keys.

   With -DHAND: nodes by themselves on huge pages, as a yardstick.  */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hand_arena.h"

struct node
{
  struct node *left, *right;
  uint64_t key, value;
  char *text;
};

static uint64_t state;

static uint64_t
next_random (void)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static void *
checked (void *p)
{
  if (!p)
    exit (2);
  return p;
}

static struct node *
make_node (uint64_t key)
{
#ifdef HAND
  static struct hand_pool pool;
  struct node *n = hand_node (&pool, sizeof *n);
#else
  struct node *n = checked (malloc (sizeof *n));
#endif
  char text[64];
  int length = snprintf (text, sizeof text, "record %llu of the index, %.*s",
			 (unsigned long long) key, (int) (key % 20),
			 "abcdefghijklmnopqrst");
  n->left = n->right = NULL;
  n->key = key;
  n->value = key >> 7;
  n->text = memcpy (checked (malloc (length + 1)), text, length + 1);
  return n;
}

static void
insert (struct node **at, uint64_t key)
{
  while (*at)
    at = key < (*at)->key ? &(*at)->left : &(*at)->right;
  *at = make_node (key);
}

static uint64_t
sum (const struct node *n)
{
  uint64_t total = 0;
  for (; n; n = n->right)
    total = total * 3 + sum (n->left) + n->value;
  return total;
}

static const struct node *
look_up (const struct node *n, uint64_t key)
{
  while (n && n->key != key)
    n = key < n->key ? n->left : n->right;
  return n;
}

int
main (int argc, char **argv)
{
  long keys = argc > 1 ? atol (argv[1]) : 600000;
  state = (argc > 2 ? strtoull (argv[2], NULL, 10) : 1) * 2654435761u + 1;
  int rounds = argc > 3 ? atoi (argv[3]) : 3;
  if (keys < 1 || rounds < 1)
    {
      fprintf (stderr, "usage: treesum [KEYS [SEED [ROUNDS]]]\n");
      return 2;
    }
  struct node *root = NULL;
  uint64_t mask = 1;
  while (mask < (uint64_t) keys * 4)
    mask = mask * 2 + 1;
  for (long i = 0; i < keys; i++)
    insert (&root, next_random () & mask);
  uint64_t check = 0, found = 0;
  for (int r = 0; r < rounds; r++)
    {
      check += sum (root);
      for (long i = 0; i < keys; i++)
	{
	  const struct node *n = look_up (root, next_random () & mask);
	  if (n)
	    found += n->text[7];
	}
    }
  printf ("treesum: %ld keys, found %llu, check %llx\n", keys,
	  (unsigned long long) found, (unsigned long long) check);
  return 0;
}
