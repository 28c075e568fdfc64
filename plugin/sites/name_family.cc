/* name_family.cc - what of a function's name GCC has numbered.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "plugin/sites/name_family.h"

#include <cstdlib>
#include <cstring>

namespace memprof::plugin {

namespace {

/* The parts of a name, from left to right; its first character belongs to the first one,
   even if that is a dot.  */

class name_parts
{
public:
  explicit name_parts (const char *name) : text_ (name) { find_end (1); }

  bool
  next ()
  {
    text_ += length_;
    if (*text_ == '\0')
      return false;
    text_++;
    find_end (0);
    return true;
  }

  const char *text () const { return text_; }
  size_t length () const { return length_; }

  bool
  number_p () const
  {
    return length_ > 0 && strspn (text_, "0123456789") >= length_;
  }

  bool
  equal_p (const char *word) const
  {
    return strlen (word) == length_ && strncmp (text_, word, length_) == 0;
  }

private:
  void
  find_end (size_t from)
  {
    length_ = *text_ ? from + strcspn (text_ + from, ".") : 0;
  }

  const char *text_;
  size_t length_;
};

/* Makes a name of parts.  */

class name_maker
{
public:
  explicit name_maker (size_t most)
    : text_ (static_cast<char *> (malloc (most + 1))), end_ (text_)
  {
    *end_ = '\0';
  }

  void
  add (const char *text, size_t length)
  {
    memcpy (end_, text, length);
    end_ += length;
    *end_ = '\0';
  }

  void
  add_part (const name_parts &part)
  {
    add (".", 1);
    add (part.text (), part.length ());
  }

  char *result () const { return text_; }

private:
  char *text_, *end_;
};

bool
clone_word_p (const name_parts &part)
{
  static const char *const words[]
    = { "constprop", "isra",	   "part",	"lto_priv",
	"cold",	     "localalias", "simdclone", nullptr };
  for (const char *const *word = words; *word; word++)
    if (part.equal_p (*word))
      return true;
  return false;
}

/* Removes the numbers of classes without a name from the mangled NAME, in place:
   "N9._anon_711fEv" has class 71 and function f.  */

void
remove_class_numbers (char *name)
{
  const char word[] = "._anon_";
  const size_t word_length = sizeof word - 1;
  for (char *at = name; (at = strstr (at, word)); at += word_length)
    {
      // In front stands the length of the class's name: the word and some digits.
      size_t length = 0;
      for (size_t digits = 1; digits <= 2 && at >= name + digits; digits++)
	if (size_t read = strtoul (at - digits, nullptr, 10); read > word_length)
	  {
	    length = read;
	    break;
	  }
      char *number = at + word_length;
      size_t digits = length > word_length ? length - word_length : 0;
      if (digits > 0 && strspn (number, "0123456789") >= digits)
	memmove (number, number + digits, strlen (number + digits) + 1);
    }
}

/* Whether a part of NAME is a number of the front end's: after the first part or another
   number, not after a word for a clone.  */

bool
numbered_by_front_end_p (const char *name)
{
  name_parts part (name);
  return part.next () && part.number_p ();
}

} // anonymous namespace

char *
name_without_numbers (const char *assembler_name, const char *around,
		      bool keep_number)
{
  name_maker made (strlen (around) + strlen (assembler_name));
  if (numbered_by_front_end_p (assembler_name))
    made.add (around, strlen (around));
  char *name = strdup (assembler_name);
  if (!keep_number)
    remove_class_numbers (name);
  name_parts part (name);
  made.add (part.text (), part.length ());
  bool after_word = false, of_file = false;
  while (part.next ())
    {
      bool number = part.number_p ();
      bool counts_files = part.equal_p ("lto_priv") || (number && of_file);
      if (!counts_files && (!number || after_word || keep_number))
	made.add_part (part);
      of_file = counts_files && !number;
      after_word = !number;
    }
  free (name);
  return made.result ();
}

char *
name_family (const char *name)
{
  name_maker made (strlen (name));
  char *copy = strdup (name);
  // "#2" ends the name of the second of several.
  if (char *number = strrchr (copy, '#'))
    if (number[1] && !number[1 + strspn (number + 1, "0123456789")])
      *number = '\0';
  name_parts part (copy);
  made.add (part.text (), part.length ());
  while (part.next ())
    if (!part.number_p () && !clone_word_p (part))
      made.add_part (part);
  free (copy);
  return made.result ();
}

} // namespace memprof::plugin
