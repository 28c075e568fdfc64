/* oracle_runtime.c - writes the raw log of the exactness test.
   SPDX-License-Identifier: GPL-3.0-or-later

   Linked into the tested program.  The log is a file (environment ORACLE_LOG)
   of records of three 8-byte words, unbuffered towards the file system in the
   sense that it is a shared mapping: it stands even when the program is killed.

     word 0   kind | id << 8 | thread << 48
     word 1, word 2   by kind, see the functions below

   The file's own first record has the number of records in word 1 and the
   address of __oracle_base in word 2, which undoes ASLR.  Only raw system
   calls here: the product watches mmap and malloc.

   Threads take their places in the log with an atomic addition.  A record stands
   in front of what it tells, so what happens before something else is in front of
   its record: for programs without races the log is one of the orders that the
   program's synchronisation allows.  */

#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum
{
  LOG_HEADER, LOG_ACCESS, LOG_ENTER, LOG_BLOCK, LOG_AGAIN, LOG_LOCAL, LOG_BIRTH,
  LOG_DEATH, LOG_STACK, LOG_EXTERNAL, LOG_BEFORE, LOG_AFTER, LOG_LEAVE, LOG_END,
  LOG_POINTER
};

enum { RECORDS = 16 * 1024 * 1024 };

typedef uint64_t word;
struct record { word head, a, b; };

extern void *__libc_stack_end;
static struct record *records;
static word threads;
static pthread_key_t at_end;
static __thread word thread;  /* from 1 on */
static __thread word activations;
char __oracle_base;

/* With ORACLE_VALUES in the environment: the last access, whose bytes are to be
   read again before anything else happens.  */
static int values;
static int pointers;  /* with ORACLE_POINTERS */
static __thread word last_site, last_address, last_bytes;

static word
value_at (word address, word bytes)
{
  word value = 0;
  memcpy (&value, (void *) address, bytes);
  return value;
}

static void
append (word kind, word id, word a, word b)
{
  word n = __atomic_fetch_add (&records[0].a, 1, __ATOMIC_SEQ_CST);
  if (n >= RECORDS)
    _exit (97);
  records[n].head = kind | id << 8 | (thread - 1) << 48;
  records[n].a = a;
  records[n].b = b;
}

static void
end_thread (void *unused)
{
  (void) unused;
  append (LOG_END, 0, 0, 0);
}

/* Before there is a second thread.  */
static void
open_log (void)
{
  const char *path = getenv ("ORACLE_LOG");
  if (!path)
    _exit (98);
  int fd = syscall (SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (fd < 0 || syscall (SYS_ftruncate, fd, RECORDS * sizeof (struct record)))
    _exit (98);
  records = (struct record *) syscall (SYS_mmap, 0, RECORDS * sizeof (struct record),
				       PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (records == MAP_FAILED || pthread_key_create (&at_end, end_thread))
    _exit (98);
  syscall (SYS_close, fd);
  records[0].a = 1;
  records[0].b = (word) &__oracle_base;
  values = getenv ("ORACLE_VALUES") != NULL;
  pointers = getenv ("ORACLE_POINTERS") != NULL;
}

static void
start_thread (void)
{
  word frame = (word) __builtin_frame_address (0);
  if (!records)
    open_log ();
  thread = __atomic_add_fetch (&threads, 1, __ATOMIC_SEQ_CST);
  if (thread == 1)
    /* Eight megabytes below the first frame to the end of the arguments.  */
    append (LOG_STACK, 0, frame - (8 << 20), (word) __libc_stack_end + 65536);
  else
    {
      append (LOG_STACK, 0, frame - (256 << 10), frame + 4096);
      pthread_setspecific (at_end, &thread);
    }
}

static void
note (word kind, word id, word a, word b)
{
  if (!thread)
    start_thread ();
  if (last_bytes)
    {
      word bytes = last_bytes;
      last_bytes = 0;
      /* A library function may have written there since.  */
      append (LOG_AFTER, last_site, value_at (last_address, bytes),
	      kind == LOG_EXTERNAL && last_address < a + b && a < last_address + bytes);
    }
  append (kind, id, a, b);
}

/* In front of the access, so a load will find what is there now, and a store has
   written when the next call comes.  */
void
__oracle_access (word site, word address, word bytes)
{
  note (LOG_ACCESS, site, address, bytes);
  if (!values || (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8))
    return;
  note (LOG_BEFORE, site, value_at (address, bytes), 0);
  last_site = site;
  last_address = address;
  last_bytes = bytes;
}

void
__oracle_access_if (word site, word address, word bytes, word done)
{
  if (done)
    note (LOG_ACCESS, site, address, bytes);
}

/* As many bytes at `address' as the string has, with its NUL.  */
void
__oracle_string (word site, word address, word string)
{
  word n = 0;
  while (((volatile char *) string)[n])
    n++;
  note (LOG_ACCESS, site, address, n + 1);
}

word
__oracle_enter (word function)
{
  note (LOG_ENTER, function, ++activations, 0);
  return activations;
}

void
__oracle_leave (word activation)
{
  note (LOG_LEAVE, 0, activation, 0);
}

void
__oracle_pointer (word place, word value)
{
  if (pointers)
    note (LOG_POINTER, place, value, 0);
}

void
__oracle_block (word block, word activation)
{
  note (LOG_BLOCK, block, activation, 0);
}

/* The activation goes on after a longjmp.  */
void
__oracle_again (word activation)
{
  note (LOG_AGAIN, 0, activation, 0);
}

void
__oracle_local (word address, word bytes)
{
  note (LOG_LOCAL, 0, address, bytes);
}

void
__oracle_birth (word site, word address, word bytes)
{
  if (address)
    note (LOG_BIRTH, site, address, bytes);
}

/* What posix_memalign has done: it wrote a pointer at `where'.  */
void
__oracle_birth_at (word site, word where, word bytes)
{
  note (LOG_EXTERNAL, 0, where, 8);
  __oracle_birth (site, *(word *) where, bytes);
}

void
__oracle_death (word address)
{
  if (address)
    note (LOG_DEATH, 0, address, 0);
}

void
__oracle_realloc (word site, word old, word address, word bytes)
{
  if (!address && bytes)
    return;
  __oracle_death (old);
  __oracle_birth (site, address, bytes);
}
