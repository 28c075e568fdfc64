/* string_pool.h - texts of the tables, each stored once.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_STRING_POOL_H
#define MEMPROF_STRING_POOL_H

namespace memprof::plugin {

class string_pool
{
public:
  string_pool () { bytes_.safe_push ('\0'); }

  /* The offset of S in the pool; 0 for the empty string.  */
  unsigned
  add (const char *s)
  {
    if (!*s)
      return 0;
    if (unsigned *known = offsets_.get (s))
      return *known;
    unsigned offset = bytes_.length ();
    size_t length = strlen (s) + 1;
    bytes_.safe_grow (offset + length);
    memcpy (bytes_.address () + offset, s, length);
    // The key must not move when the pool grows.
    offsets_.put (xstrdup (s), offset);
    return offset;
  }

  const auto_vec<char> &bytes () const { return bytes_; }

private:
  auto_vec<char> bytes_;
  hash_map<nofree_string_hash, unsigned> offsets_;
};

} // namespace memprof::plugin

#endif
