/* catalog.c - a chained hash table whose entries have a key of their own and a description.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: catalog [ARTICLES [SEED [LOOKUPS]]]

   An article is an entry, its key and a description, allocated in the order in which a
   parser meets them: entry, description, key.  A lookup walks the chain and compares keys;
   descriptions are read for few of the articles.  */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry
{
  struct entry *next;
  char *key, *text;
  uint32_t price, stock;
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

static void
write_key (char key[24], uint64_t number)
{
  for (int i = 0; i < 16; i++, number = number * 0x9e3779b97f4a7c15u + 7)
    key[i] = 'a' + (number >> 59);
  key[16] = 0;
}

static uint64_t
hash (const char *key)
{
  uint64_t h = 5381;
  for (; *key; key++)
    h = h * 33 + (unsigned char) *key;
  return h ^ h >> 17;
}

static struct entry *
make_entry (const char *key)
{
  struct entry *e = checked (malloc (sizeof *e));
  char text[160];
  int length = snprintf (text, sizeof text,
			 "article %s, %d pieces in a box of %d, delivered within %d days", key,
			 (int) (next_random () % 90), (int) (next_random () % 12),
			 (int) (next_random () % 30));
  e->text = memcpy (checked (malloc (length + 1)), text, length + 1);
  e->key = memcpy (checked (malloc (17)), key, 17);
  e->price = next_random () % 10000;
  e->stock = 1;
  return e;
}

int
main (int argc, char **argv)
{
  long articles = argc > 1 ? atol (argv[1]) : 300000;
  state = (argc > 2 ? strtoull (argv[2], NULL, 10) : 1) * 2654435761u + 1;
  long lookups = argc > 3 ? atol (argv[3]) : 3000000;
  if (articles < 1 || lookups < 1)
    {
      fprintf (stderr, "usage: catalog [ARTICLES [SEED [LOOKUPS]]]\n");
      return 2;
    }
  uint64_t buckets = 16;
  while (buckets < (uint64_t) articles)
    buckets *= 2;
  buckets /= 2;
  struct entry **table = checked (calloc (buckets, sizeof *table));
  char key[24];
  for (long i = 0; i < articles; i++)
    {
      write_key (key, i);
      struct entry **at = &table[hash (key) & (buckets - 1)], *e = make_entry (key);
      e->next = *at;
      *at = e;
    }
  uint64_t total = 0, length = 0;
  for (long i = 0; i < lookups; i++)
    {
      write_key (key, next_random () % articles);
      struct entry *e = table[hash (key) & (buckets - 1)];
      while (e && strcmp (e->key, key))
	e = e->next;
      total = total * 3 + e->price * e->stock++;
      if (i % 1000 == 0)
	length += strlen (e->text);
    }
  printf ("catalog: %ld articles, total %llx, texts %llu\n", articles, (unsigned long long) total,
	  (unsigned long long) length);
  return 0;
}
