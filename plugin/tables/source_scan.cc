/* source_scan.cc - looks through the text of a source for what the front end folds away.
   SPDX-License-Identifier: GPL-3.0-or-later

   Text, not code: a macro is seen where it is defined, and what is compiled out is seen as well.  Too much is
   found rather than too little.

     offsetof (struct s, name)			offsetof_type "s"
     &((struct s *) 0)->name			offsetof_type "s"
     &p->first < &p->second			address_compared "first", "second"
     (char *) &p->name - (char *) p		address_compared "name"
     asm ("lea table(%rip), %rax");		named_in_asm "lea", "table", "rip", "rax"  */

#include "plugin/gcc-common.h"
#include "plugin/tables/source_scan.h"

namespace memprof::plugin {

namespace {

/* Reads tokens of a source text: an identifier or number, or one character.  */
class tokens
{
public:
  explicit tokens (const char *text) : at_ (text) {}

  /* Whether strings are read like code, as the instructions of asm are.  */
  void read_strings (bool yes) { strings_ = yes; }

  const char *place () const { return at_; }
  void go_back (const char *place) { at_ = place; }

  /* False at the end.  */
  bool
  next ()
  {
    for (;;)
      {
	if (!*at_)
	  return false;
	// In a string, \n is no beginning of a word.
	if (ISSPACE (*at_) || *at_ == '\\')
	  at_ += strings_ && *at_ == '\\' && at_[1] ? 2 : 1;
	else if (at_[0] == '/' && at_[1] == '/')
	  at_ += strcspn (at_, "\n");
	else if (at_[0] == '/' && at_[1] == '*')
	  {
	    const char *end = strstr (at_ + 2, "*/");
	    at_ = end ? end + 2 : at_ + strlen (at_);
	  }
	else if ((*at_ == '\'' || *at_ == '"') && !strings_)
	  skip_string ();
	else
	  break;
      }
    start_ = at_;
    at_ += ISIDNUM (*at_) ? strspn (at_, k_word) : 1;
    length_ = at_ - start_;
    return true;
  }

  bool
  is (const char *word) const
  {
    return strlen (word) == length_ && strncmp (start_, word, length_) == 0;
  }
  bool word_p () const { return ISIDST (*start_); }
  bool number_p () const { return ISDIGIT (*start_); }
  char *copy () const { return xstrndup (start_, length_); }

private:
  static constexpr const char *k_word
    = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

  void
  skip_string ()
  {
    char quote = *at_++;
    for (; *at_ && *at_ != quote && *at_ != '\n'; at_++)
      if (*at_ == '\\' && at_[1])
	at_++;
    if (*at_)
      at_++;
  }

  const char *at_, *start_ = nullptr;
  bool strings_ = false;
  size_t length_ = 0;
};

/* After the word offsetof: the last word before the first comma.  */

void
read_offsetof (tokens &in, text_listener &found)
{
  char *name = nullptr;
  int depth = 0;
  while (in.next ())
    {
      if (in.is ("("))
	depth++;
      else if (in.is (")") && --depth == 0)
	break;
      else if (depth == 0 || (in.is (",") && depth == 1))
	break;
      else if (in.word_p ())
	{
	  free (name);
	  name = in.copy ();
	}
    }
  // #define offsetof, #ifdef offsetof: it is used elsewhere, if at all.
  if (depth)
    found.offsetof_type (name ? name : "");
  free (name);
}

/* After the word asm: the words in its parentheses.  */

void
read_asm (tokens &in, text_listener &found)
{
  int depth = 0;
  in.read_strings (true);
  while (in.next ())
    {
      if (in.is ("("))
	depth++;
      else if (in.is (")") && --depth == 0)
	break;
      else if (in.is ("#"))
	found.named_in_asm (nullptr);
      else if (in.word_p ())
	{
	  char *word = in.copy ();
	  if (depth)
	    found.named_in_asm (word);
	  else if (!in.is ("volatile") && !in.is ("__volatile__")
		   && !in.is ("goto") && !in.is ("inline"))
	    depth = -1;
	  free (word);
	  if (depth < 0)
	    break;
	}
      else if (depth == 0)
	break;
    }
  in.read_strings (false);
}

/* Skips what is in parentheses or brackets, of which the first has been read; *FIELD becomes the last
   field that is named in it.  Returns whether there was but one word.  */

bool
skip_nested (tokens &in, char **field)
{
  unsigned count = 0;
  bool after_dot = false;
  for (int depth = 1; depth && in.next ();)
    {
      if (in.is ("(") || in.is ("["))
	depth++;
      else if (in.is (")") || in.is ("]"))
	depth--;
      if (depth)
	count++;
      if (after_dot && in.word_p ())
	{
	  free (*field);
	  *field = in.copy ();
	}
      after_dot = in.is (".") || in.is (">");
    }
  return count == 1;
}

/* Looks ahead at `p->a[i].b' after an `&', and at what comes next.  COMPARED: before the `&' was an
   operator that compares or subtracts.  */

void
read_address (tokens &in, bool compared, text_listener &found)
{
  char *field = nullptr;
  bool parameter = false, start = true, dot = false, arrow = false;
  const char *back = in.place ();
  while (in.next ())
    {
      if (arrow && !in.is (">"))
	break; // `-', not `->'
      bool word = in.word_p () && (start || dot);
      if (word && dot)
	{
	  free (field);
	  field = in.copy ();
	}
      else if (start && in.is ("("))
	parameter = skip_nested (in, &field);
      else if (!start && (in.is ("[") || in.is ("(")))
	{
	  char *index = nullptr;
	  skip_nested (in, &index);
	  free (index);
	}
      else if (!word && !in.is (".") && !in.is ("-") && !(arrow && in.is (">")))
	{
	  compared |= in.is ("<") || in.is (">");
	  break;
	}
      dot = in.is (".") || (arrow && in.is (">"));
      arrow = in.is ("-");
      start = false;
    }
  compared |= arrow;
  in.go_back (back);
  if (compared && (field || parameter))
    found.address_compared (field);
  free (field);
}

/* Whether an `&' after the token of IN takes an address.  */

bool
before_address_p (const tokens &in)
{
  return in.is ("return") || !(in.word_p () || in.number_p () || in.is ("]"));
}

} // anonymous namespace

void
scan_text (const char *text, text_listener &found)
{
  tokens in (text);
  // How much of `TYPE * ) 0 ) ->' has been read.
  unsigned matched = 0;
  char *type = nullptr;
  bool address = true, compared = false, ampersand = false;
  while (in.next ())
    {
      if (in.is ("&") && address)
	{
	  read_address (in, compared, found);
	  address = compared = ampersand = false;
	  matched = 0;
	  continue;
	}
      // After `&&', but not after a single one.
      address = in.is ("&") ? ampersand : before_address_p (in);
      ampersand = in.is ("&") && !ampersand;
      compared = in.is ("<") || in.is (">") || in.is ("-") || (compared && in.is ("="));
      if (in.is ("asm") || in.is ("__asm__") || in.is ("__asm"))
	{
	  read_asm (in, found);
	  matched = 0;
	  continue;
	}
      if (in.is ("offsetof") || in.is ("__builtin_offsetof")
	  || in.is ("container_of"))
	{
	  read_offsetof (in, found);
	  matched = 0;
	  continue;
	}
      bool null = in.is ("0") || in.is ("NULL") || in.is ("nullptr");
      if (in.word_p () && !null)
	{
	  free (type);
	  type = in.copy ();
	  matched = 1;
	}
      else if ((matched == 1 && in.is ("*")) || (matched == 2 && in.is (")"))
	       || (matched == 3 && null) || (matched == 4 && in.is (")")))
	matched++;
      else if (matched == 5 && (in.is ("-") || in.is (".")))
	{
	  found.offsetof_type (type);
	  matched = 0;
	}
      else
	matched = 0;
    }
  free (type);
}

} // namespace memprof::plugin
