# field-order-cxx.sh - classes of C++: which have their fields moved, and that nothing
# else changes.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.cc <<'END'
#include <cstdio>
#include <new>
struct Point { double x, y; };
class Order
{
public:
  explicit Order (int n) : price_ (n), amount_ (n * 3L) { name_[0] = 'a' + n % 26; }
  ~Order () { destroyed++; }
  long value () const { return price_ * amount_ + name_[0]; }
  void move (double by) { where_.x += by; }
  double x () const { return where_.x; }
  Order *next = nullptr;
  static long destroyed;
private:
  char name_[100] = {};
  int price_;
  Point where_ = { 1, 2 };
  long amount_;
};
long Order::destroyed;
struct Base { virtual ~Base () = default; long a = 1; int b = 2; };
struct Derived : Base { int c = 3; long d = 4; };
template <typename T> struct Box { explicit Box (T v) : value (v) {} ~Box () { sum += value; } char pad = 1; T value; static long sum; };
template <typename T> long Box<T>::sum;
struct Literal { char c; long l; };
constexpr Literal constant = { 'x', 9 };
int
main ()
{
  Order *list = nullptr;
  for (int i = 0; i < 1000; i++)
    {
      Order *o = new Order (i);
      o->next = list;
      list = o;
    }
  long sum = 0;
  double x = 0;
  long Literal::*which = &Literal::l;
  Literal *literal = new Literal (constant);
  Base *base = new Derived;
  for (int i = 0; i < 10; i++)
    for (Order *o = list; o; o = o->next)
      {
        o->move (i);
        sum += o->value () + base->b + static_cast<Derived *> (base)->d + literal->*which;
        x += o->x ();
      }
  for (int i = 0; i < 10; i++)
    delete new Box<long> (i);
  Order local (7), copy = local;
  sum += copy.value ();
  while (list)
    {
      Order *next = list->next;
      delete list;
      list = next;
    }
  std::printf ("%ld %g %ld %ld\n", sum, x, Order::destroyed, Box<long>::sum);
  delete base;
}
END
compile_plain a.cc -o plain
compile_gen a.cc -o a
run ./a
plugin=$(plugin_file)
for level in -O1 -O2 -O3 "-O2 -flto"; do
  rm -f remarks
  compile -specs="$specs" -O2 -g -fchecking -fprofile-mem-use=a.memprof.json -fprofile-mem-move-fields -fprofile-mem-remarks=remarks \
    -fplugin="$plugin" -fplugin-arg-memprof-eager -fprofile-mem-use-no=prefetch,versioning $level a.cc -o use
  same_output ./plain ./use
  expect remarks '"function":"Order","kind":"field-order","taken":true'
done
for type in Base Derived Literal; do
  expect_not remarks "\"function\":\"$type\",\"kind\":\"field-order\",\"taken\":true"
done
run "$memprof" layout a.memprof.json Literal
expect out 'constant expressions can use it'
run "$memprof" layout a.memprof.json Base
expect out 'virtual functions or bases'
