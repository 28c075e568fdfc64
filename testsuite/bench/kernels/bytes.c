/* bytes.c - transforms of text, byte by byte.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: bytes [KILOBYTES [ROUNDS]]

   Makes a text, then in each round: capitals, a substitution cipher by table, a
   checksum by table, base 64, runs, a histogram, words, and back.  */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned char byte;

static uint32_t crc_table[256];
static byte cipher[256], decipher[256];

static void
make_tables (void)
{
  for (uint32_t i = 0; i < 256; i++)
    {
      uint32_t c = i;
      for (int k = 0; k < 8; k++)
	c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
      crc_table[i] = c;
      cipher[i] = (byte) (i * 167 + 13);
    }
  for (int i = 0; i < 256; i++)
    decipher[cipher[i]] = (byte) i;
}

static void
make_text (byte *text, size_t n)
{
  static const char *const word[]
    = { "the", "address", "of", "each", "access", "and", "its", "object", "offset",
	"a", "loop", "aaaaaa", "dependence", "is", "carried", "by" };
  uint64_t x = 88172645463325252u;
  size_t at = 0;
  while (at < n)
    {
      x ^= x << 13, x ^= x >> 7, x ^= x << 17;
      for (const char *w = word[x >> 9 & 15]; *w && at < n; w++)
	text[at++] = (byte) *w;
      if (at < n)
	text[at++] = x >> 20 & 15 ? ' ' : '\n';
    }
}

static void
capitals (byte *text, size_t n)
{
  int start = 1;
  for (size_t i = 0; i < n; i++)
    {
      if (start && text[i] >= 'a' && text[i] <= 'z')
	text[i] = (byte) (text[i] - 'a' + 'A');
      start = text[i] == ' ' || text[i] == '\n';
    }
}

static void
substitute (byte *to, const byte *from, size_t n, const byte *table)
{
  for (size_t i = 0; i < n; i++)
    to[i] = table[from[i]];
}

static uint32_t
checksum (const byte *text, size_t n)
{
  uint32_t c = ~0u;
  for (size_t i = 0; i < n; i++)
    c = crc_table[(c ^ text[i]) & 255] ^ c >> 8;
  return ~c;
}

static size_t
base64 (byte *to, const byte *from, size_t n)
{
  static const char digit[]
    = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  byte *out = to;
  for (size_t i = 0; i + 2 < n; i += 3)
    {
      uint32_t x = (uint32_t) from[i] << 16 | (uint32_t) from[i + 1] << 8 | from[i + 2];
      *out++ = (byte) digit[x >> 18];
      *out++ = (byte) digit[x >> 12 & 63];
      *out++ = (byte) digit[x >> 6 & 63];
      *out++ = (byte) digit[x & 63];
    }
  return (size_t) (out - to);
}

/* Runs of equal bytes as byte and length.  */
static size_t
runs (byte *to, const byte *from, size_t n)
{
  size_t out = 0;
  for (size_t i = 0; i < n;)
    {
      size_t k = 1;
      while (i + k < n && k < 255 && from[i + k] == from[i])
	k++;
      to[out++] = from[i];
      to[out++] = (byte) k;
      i += k;
    }
  return out;
}

static long
words (char *text)
{
  long count = 0;
  while (*text)
    {
      size_t length = strcspn (text, " \n");
      count += length && isalpha ((byte) *text);
      text += length + (text[length] != 0);
    }
  return count;
}

int
main (int argc, char **argv)
{
  size_t n = (argc > 1 ? strtoul (argv[1], NULL, 10) : 2000) * 1000;
  int rounds = argc > 2 ? atoi (argv[2]) : 40;
  if (n < 1000)
    return 2;
  byte *text = calloc (n + 1, 1), *other = calloc (n + 1, 1), *wide = calloc (2 * n + 4, 1);
  if (!text || !other || !wide)
    return 1;
  make_tables ();
  make_text (text, n);
  uint64_t check = 0, count[256] = { 0 };
  for (int r = 0; r < rounds; r++)
    {
      capitals (text, n);
      substitute (other, text, n, cipher);
      check = check * 31 + checksum (other, n);
      check += base64 (wide, other, n);
      check += runs (wide, text, n);
      for (size_t i = 0; i < n; i++)
	count[other[i]]++;
      substitute (text, other, n, decipher);
      check += (uint64_t) words ((char *) text);
      text[r * 101 % n] = 'a';
    }
  for (int i = 0; i < 256; i++)
    check = check * 33 + count[i];
  printf ("%llx\n", (unsigned long long) check);
  return 0;
}
