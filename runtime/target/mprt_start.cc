// mprt_start.cc - what stands between the program and its recording from the start.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// Two things make a profile useless or empty without any call that fails:
//
//   _start of its own   (-nostartfiles) which does not call __libc_start_main: nothing runs the
//                       constructors in which units announce themselves
//   another malloc      before ours in the search order (LD_PRELOAD=libjemalloc.so, or the
//                       program's own): no object of the heap is seen
//
// One line says so.  The first is seen by what the executable needs: startup code from libc
// needs __libc_start_main.

#include "mprt_hooks.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#ifndef MPRT_STATIC
#include <dlfcn.h>
#endif

namespace mprt {

#ifdef MPRT_STATIC

// What a static program takes of libc for the runtime does not link without startup code.
bool
starts_itself ()
{
  return false;
}

void
look_at_allocator ()
{}

bool
in_allocator (const void *)
{
  return false;
}

#else

// Whether the symbols of DYNAMIC, which is in memory, name __libc_start_main.  What an executable
// needs comes before what it defines, and only the latter is in the hash table.  If that is empty, it
// does not say where it begins; linkers put the names after the symbols.
static bool
needs_libc_start (const ElfW (Dyn) *dynamic)
{
  const ElfW (Sym) *symbols = nullptr;
  const char *texts = nullptr;
  const uint32_t *gnu_hash = nullptr, *hash = nullptr;
  for (; dynamic->d_tag != DT_NULL; dynamic++)
    switch (dynamic->d_tag)
      {
      case DT_SYMTAB: symbols = at<const ElfW (Sym)> (dynamic->d_un.d_ptr); break;
      case DT_STRTAB: texts = at<const char> (dynamic->d_un.d_ptr); break;
      case DT_GNU_HASH: gnu_hash = at<const uint32_t> (dynamic->d_un.d_ptr); break;
      case DT_HASH: hash = at<const uint32_t> (dynamic->d_un.d_ptr); break;
      default: break;
      }
  if (!symbols || !texts || (!gnu_hash && !hash))
    return true;
  uint64_t count = gnu_hash ? gnu_hash[1] : hash[1];
  if (count == 1 && texts > reinterpret_cast<const char *> (symbols))
    count = static_cast<uint64_t> (texts - reinterpret_cast<const char *> (symbols)) / sizeof *symbols;
  for (uint64_t i = 1; i < count; i++)
    if (same_text (texts + symbols[i].st_name, "__libc_start_main"))
      return true;
  return false;
}

bool
starts_itself ()
{
  const ElfW (Phdr) *headers = at<const ElfW (Phdr)> (getauxval (AT_PHDR));
  uint64_t count = headers ? getauxval (AT_PHNUM) : 0;
  uint64_t moved = 0;
  for (uint64_t i = 0; i < count; i++)
    if (headers[i].p_type == PT_PHDR)
      moved = reinterpret_cast<uint64_t> (headers) - headers[i].p_vaddr;
  for (uint64_t i = 0; i < count; i++)
    if (headers[i].p_type == PT_DYNAMIC)
      return !needs_libc_start (at<const ElfW (Dyn)> (moved + headers[i].p_vaddr));
  return false;
}

static void *
library_of (const void *function)
{
  Dl_info info = {};
  return dladdr (function, &info) ? info.dli_fbase : nullptr;
}

// The malloc that the program is linked with.  glibc's malloc checker has its functions only in the version
// of glibc's, which dlsym does not ask for; where dlvsym finds none but libc's, dlsym is right.
static void *
visible_malloc ()
{
  // The first version differs between processors.
  static const char *const k_versions[] = { "GLIBC_2.2.5", "GLIBC_2.17" };
  for (const char *version : k_versions)
    if (void *versioned = dlvsym (RTLD_DEFAULT, "malloc", version);
	versioned
	&& library_of (versioned) != library_of (reinterpret_cast<void *> (&getauxval)))
      return versioned;
  return dlsym (RTLD_DEFAULT, "malloc");
}

// Where the library of the malloc that the runtime calls lies, if it is not libc's.
static uint64_t allocator_first, allocator_last;

static void
find_allocator ()
{
  const void *library = library_of (real_function (k_hook_malloc));
  if (!library || library == library_of (reinterpret_cast<void *> (&getauxval)))
    return;
  uint64_t base = reinterpret_cast<uint64_t> (library);
  const ElfW (Ehdr) *header = at<const ElfW (Ehdr)> (base);
  const ElfW (Phdr) *parts = at<const ElfW (Phdr)> (base + header->e_phoff);
  uint64_t last = base;
  for (uint32_t i = 0; i < header->e_phnum; i++)
    if (parts[i].p_type == PT_LOAD && base + parts[i].p_vaddr + parts[i].p_memsz > last)
      last = base + parts[i].p_vaddr + parts[i].p_memsz;
  store (&allocator_first, base);
  store (&allocator_last, last);
}

bool
in_allocator (const void *caller)
{
  uint64_t address = reinterpret_cast<uint64_t> (caller);
  return address >= load (&allocator_first) && address < load (&allocator_last);
}

void
look_at_allocator ()
{
  static uint32_t looked;
  if (__atomic_exchange_n (&looked, 1, __ATOMIC_RELAXED))
    return;
  find_allocator ();
  self.resolving++;
  void *visible = visible_malloc ();
  Dl_info info = {};
  bool other = visible && dladdr (visible, &info) && info.dli_fname;
  self.resolving--;
  Dl_info own = {};
  if (!other || !dladdr (reinterpret_cast<void *> (&look_at_allocator), &own)
      || info.dli_fbase == own.dli_fbase)
    return;
  Line line;
  line.add ("memprof: malloc is that of ").add (info.dli_fname);
  line.add (", before memprof's: no object of the heap will be known; if it is preloaded, "
	    "name libmemprof_rt.so before it in LD_PRELOAD");
  line.send_to_stderr ();
}

#endif

} // namespace mprt
