/* access_sites.cc - finds the loads and stores that GIMPLE performs.
   SPDX-License-Identifier: GPL-3.0-or-later

   What counts:

     x = *p;  *p = x;          a load; a store
     *p = *q;  (aggregates)    a load and a store of the whole
     *p = {};  *p = "abc";     a store: a constant is not read from memory
     s.bit = 1;                a store of the bytes that hold some bit of it
     f (*p);  *p = f ();       a load; a store once f has returned
     memcpy (d, s, n)          a load and a store of n bytes: memory_functions
     __atomic_fetch_add (p, 1) a load and a store
     __atomic_compare_exchange (p, &e, ...)  a load of e and one of *p; a store
			       to *p or to e
     __builtin_ia32_movntdq (p, x)   a store: processor::machine_accesses
     asm ("" : "=m" (*p) : "m" (*q))   a load and a store

   Also volatile accesses, constant tables, vtables, string literals, and every
   local variable that GIMPLE keeps in memory.  What lives in a register does
   not count: SSA names, register variables, small aggregates that a function
   returns in registers, and clobbers, which only end a variable's life.
   Nor do the counters of -fprofile-generate, which are not the program's: with them a build
   for both profiles would have sites that the rebuild has not.  */

#include "plugin/gcc-common.h"
#include "plugin/sites/access_sites.h"
#include "plugin/target/target.h"
#include "plugin/sites/memory_functions.h"
#include "plugin/options.h"

namespace memprof::plugin {

namespace {

/* Whether VAR is one of -fprofile-generate and --coverage: __gcov0.main, __gcov_indirect_call.  */

bool
gcov_variable_p (tree var)
{
  return VAR_P (var) && DECL_NAME (var)
	 && startswith (IDENTIFIER_POINTER (DECL_NAME (var)), "__gcov");
}

/* Whether the object BASE (of get_base_address) lives in memory and is the program's.  */

bool
memory_base_p (tree base)
{
  switch (TREE_CODE (base))
    {
    case MEM_REF:
    case TARGET_MEM_REF:
    case STRING_CST:
    case CONST_DECL:
      return true;
    case RESULT_DECL:
      // One that is returned by reference is a register, even if it is called volatile.
      return !is_gimple_reg (base) && !DECL_BY_REFERENCE (base)
	     && aggregate_value_p (base, current_function_decl);
    case PARM_DECL:
      return !is_gimple_reg (base);
    case VAR_DECL:
      // The vectoriser gives an "omp simd array" its size later.
      return !is_gimple_reg (base) && !DECL_HARD_REGISTER (base) && !gcov_variable_p (base)
	     && !lookup_attribute ("omp simd array", DECL_ATTRIBUTES (base));
    default:
      return false;
    }
}

bool
bit_field_p (tree ref)
{
  return TREE_CODE (ref) == COMPONENT_REF
	 && DECL_BIT_FIELD (TREE_OPERAND (ref, 1));
}

/* A field that is the bytes which hold some bit of bit-field FIELD.  */

tree
bytes_of_bit_field (tree field)
{
  HOST_WIDE_INT first = tree_to_uhwi (DECL_FIELD_BIT_OFFSET (field));
  HOST_WIDE_INT start = ROUND_DOWN (first, BITS_PER_UNIT);
  HOST_WIDE_INT bits
    = ROUND_UP (first + tree_to_uhwi (DECL_SIZE (field)), BITS_PER_UNIT) - start;
  tree type = build_array_type_nelts (unsigned_char_type_node,
				      bits / BITS_PER_UNIT);
  tree bytes = build_decl (DECL_SOURCE_LOCATION (field), FIELD_DECL, NULL_TREE,
			   type);
  DECL_CONTEXT (bytes) = DECL_CONTEXT (field);
  DECL_FIELD_OFFSET (bytes) = DECL_FIELD_OFFSET (field);
  DECL_FIELD_BIT_OFFSET (bytes) = bitsize_int (start);
  SET_DECL_OFFSET_ALIGN (bytes, DECL_OFFSET_ALIGN (field));
  DECL_SIZE (bytes) = TYPE_SIZE (type);
  DECL_SIZE_UNIT (bytes) = TYPE_SIZE_UNIT (type);
  SET_DECL_MODE (bytes, TYPE_MODE (type));
  SET_DECL_ALIGN (bytes, BITS_PER_UNIT);
  return bytes;
}

/* The reference to the bytes that hold bit-field REF.  */

tree
bit_field_bytes (tree ref)
{
  tree bytes = bytes_of_bit_field (TREE_OPERAND (ref, 1));
  return build3 (COMPONENT_REF, TREE_TYPE (bytes), TREE_OPERAND (ref, 0), bytes,
		 TREE_OPERAND (ref, 2));
}

/* Where REF lies: *BASE, the variable part *OFFSET (may be null), and the
   constant part in bits from *FIRST to *LAST (not included).  */

void
split_reference (tree ref, tree *base, tree *offset, HOST_WIDE_INT *first,
		 HOST_WIDE_INT *last)
{
  poly_int64 bitsize, bitpos;
  machine_mode mode;
  int is_unsigned, reverse, is_volatile;
  tree inner = get_inner_reference (ref, &bitsize, &bitpos, offset, &mode,
				    &is_unsigned, &reverse, &is_volatile);
  *first = bitpos.to_constant ();
  *last = *first + (known_size_p (bitsize) ? bitsize.to_constant () : 0);
  HOST_WIDE_INT pointer_offset = 0;
  if (TREE_CODE (inner) == MEM_REF)
    {
      pointer_offset = mem_ref_offset (inner).force_shwi ().to_constant ();
      inner = TREE_OPERAND (inner, 0);
    }
  else if (TREE_CODE (inner) == TARGET_MEM_REF)
    inner = build_fold_addr_expr (inner);
  else
    inner = build_fold_addr_expr (inner);
  *first += pointer_offset * BITS_PER_UNIT;
  *last += pointer_offset * BITS_PER_UNIT;
  *base = inner;
}

HOST_WIDE_INT
floor_byte (HOST_WIDE_INT bits)
{
  return bits >= 0 ? bits / BITS_PER_UNIT
		   : -((-bits + BITS_PER_UNIT - 1) / BITS_PER_UNIT);
}

/* The bytes that an access to REF touches.  */

HOST_WIDE_INT
reference_width (tree ref)
{
  if (bit_field_p (ref))
    {
      if (seeded (fault::bitfield_narrow))
	return 1;
      return int_size_in_bytes (TREE_TYPE (bit_field_bytes (ref)));
    }
  if (TREE_CODE (ref) != BIT_FIELD_REF)
    return int_size_in_bytes (TREE_TYPE (ref));
  tree base, offset;
  HOST_WIDE_INT first, last;
  split_reference (ref, &base, &offset, &first, &last);
  return floor_byte (last + BITS_PER_UNIT - 1) - floor_byte (first);
}

/* Collects the sites of one function.  */

class collector
{
public:
  explicit collector (auto_vec<access_site> &sites) : sites_ (sites) {}

  void statement (gimple *stmt);

private:
  access_site &add (gimple *stmt, mprt_op kind);
  access_site *add_reference (gimple *stmt, tree ref, mprt_op kind);
  void assignment (gimple *stmt);
  void call (gcall *stmt);
  void atomic_call (gcall *stmt, const atomic_access &atomic);
  void machine_call (gcall *stmt);
  void assembly (gasm *stmt);

  auto_vec<access_site> &sites_;
};

access_site &
collector::add (gimple *stmt, mprt_op kind)
{
  access_site site = {};
  site.stmt = stmt;
  site.kind = kind;
  site.ordinal = sites_.length ();
  sites_.safe_push (site);
  return sites_.last ();
}

/* Adds the access to REF unless that is not in memory.  Null if so.  */

access_site *
collector::add_reference (gimple *stmt, tree ref, mprt_op kind)
{
  tree length = NULL_TREE;
  if (TREE_CODE (ref) == WITH_SIZE_EXPR)
    {
      length = TREE_OPERAND (ref, 1);
      ref = TREE_OPERAND (ref, 0);
    }
  if (!memory_reference_p (ref))
    return nullptr;
  HOST_WIDE_INT width = reference_width (ref);
  // An empty structure occupies nothing; a size that the type does not tell
  // and the statement does not repeat is not a size that GIMPLE copies.
  if (width == 0 || (width < 0 && !length))
    return nullptr;
  access_site &site = add (stmt, kind);
  site.ref = ref;
  if (width > 0)
    site.width = width;
  else
    site.length = length;
  site.volatile_p = TREE_THIS_VOLATILE (ref);
  return &site;
}

void
collector::assignment (gimple *stmt)
{
  if (gimple_clobber_p (stmt))
    return;
  tree lhs = gimple_assign_lhs (stmt);
  if (gimple_assign_single_p (stmt))
    {
      tree rhs = gimple_assign_rhs1 (stmt);
      tree value = TREE_CODE (rhs) == WITH_SIZE_EXPR ? TREE_OPERAND (rhs, 0)
						     : rhs;
      if (TREE_CODE (value) != STRING_CST)
	add_reference (stmt, rhs, MPRT_OP_LOAD);
      access_site *store = add_reference (stmt, lhs, MPRT_OP_STORE);
      // The size of `*p = *q' stands on the right side only.
      if (!store && TREE_CODE (rhs) == WITH_SIZE_EXPR
	  && memory_reference_p (lhs))
	{
	  store = &add (stmt, MPRT_OP_STORE);
	  store->ref = lhs;
	  store->length = TREE_OPERAND (rhs, 1);
	}
      return;
    }
  add_reference (stmt, lhs, MPRT_OP_STORE);
}

void
collector::atomic_call (gcall *stmt, const atomic_access &atomic)
{
  // -fprofile-update=atomic.
  tree object = gimple_call_arg (stmt, 0);
  if (TREE_CODE (object) == ADDR_EXPR
      && gcov_variable_p (get_base_address (TREE_OPERAND (object, 0))))
    return;
  atomic_order order = atomic_order_of (stmt);
  auto add_atomic = [&] (mprt_op kind, unsigned argument) -> access_site & {
    access_site &site = add (stmt, kind);
    site.address = gimple_call_arg (stmt, argument);
    site.width = atomic.width;
    site.atomic_p = argument == 0;
    // What an acquire loads is reported after it: another thread has stored
    // it and reported that before its release.
    site.after_p = argument == 0 && order.acquire;
    return site;
  };
  if (atomic.expected)
    add_atomic (MPRT_OP_LOAD, 1);
  if (atomic.loads)
    add_atomic (MPRT_OP_LOAD, 0);
  if (atomic.stores)
    {
      access_site &site = add_atomic (MPRT_OP_STORE, 0);
      site.if_exchanged_p = atomic.if_exchanged;
      site.after_p |= site.if_exchanged_p;
    }
  if (atomic.expected)
    {
      access_site &site = add_atomic (MPRT_OP_STORE, 1);
      site.after_p = site.if_failed_p = true;
    }
}

void
collector::machine_call (gcall *stmt)
{
  auto_vec<machine_access, 16> accesses;
  processor::machine_accesses (stmt, accesses);
  for (const machine_access &access : accesses)
    {
      access_site &site = add (stmt, access.op);
      site.address = access.address;
      site.offset = access.offset;
      site.width = access.width;
      site.length = access.length;
    }
}

void
collector::call (gcall *stmt)
{
  for (unsigned i = 0; i < gimple_call_num_args (stmt); i++)
    {
      tree arg = gimple_call_arg (stmt, i);
      if (!is_gimple_reg_type (TREE_TYPE (arg)))
	add_reference (stmt, arg, MPRT_OP_LOAD);
    }
  atomic_access atomic;
  tree callee = gimple_call_fndecl (stmt);
  if (callee && fndecl_built_in_p (callee, BUILT_IN_MD))
    machine_call (stmt);
  else if (atomic_access_p (stmt, &atomic))
    atomic_call (stmt, atomic);
  else
    for (const memory_function *row = first_memory_function (stmt); row;
	 row = next_memory_function (row))
      {
	if (row->op == MPRT_OP_EXTERNAL_STORE)
	  continue;
	// A va_list that is a record is passed as such to va_copy, and counts among the arguments.
	if (tree address = memory_function_address (stmt, row);
	    address && !POINTER_TYPE_P (TREE_TYPE (address)))
	  continue;
	access_site &site = add (stmt, row->op);
	site.row = row;
	site.address = memory_function_address (stmt, row);
	site.length = memory_function_length (stmt, row);
	site.after_p = row->after_p ();
	if (site.length && tree_fits_uhwi_p (site.length))
	  {
	    unsigned HOST_WIDE_INT bytes = tree_to_uhwi (site.length);
	    if (bytes > 0 && bytes <= MPRT_MAX_STATIC_WIDTH)
	      site.width = bytes;
	  }
      }
  if (tree lhs = gimple_call_lhs (stmt))
    if (access_site *site = add_reference (stmt, lhs, MPRT_OP_STORE))
      site->after_p = true;
}

void
collector::assembly (gasm *stmt)
{
  unsigned outputs = gimple_asm_noutputs (stmt);
  auto_vec<tree, 8> stores;
  for (unsigned i = 0; i < outputs; i++)
    {
      tree link = gimple_asm_output_op (stmt, i);
      const char *constraint
	= TREE_STRING_POINTER (TREE_VALUE (TREE_PURPOSE (link)));
      if (strchr (constraint, '+'))
	add_reference (stmt, TREE_VALUE (link), MPRT_OP_LOAD);
      stores.safe_push (TREE_VALUE (link));
    }
  for (unsigned i = 0; i < gimple_asm_ninputs (stmt); i++)
    add_reference (stmt, TREE_VALUE (gimple_asm_input_op (stmt, i)),
		   MPRT_OP_LOAD);
  for (tree ref : stores)
    add_reference (stmt, ref, MPRT_OP_STORE);
}

void
collector::statement (gimple *stmt)
{
  switch (gimple_code (stmt))
    {
    case GIMPLE_ASSIGN:
      assignment (stmt);
      break;
    case GIMPLE_CALL:
      call (as_a<gcall *> (stmt));
      break;
    case GIMPLE_ASM:
      assembly (as_a<gasm *> (stmt));
      break;
    default:
      break;
    }
}

} // anonymous namespace

bool
memory_reference_p (tree t)
{
  if (!DECL_P (t) && !REFERENCE_CLASS_P (t) && TREE_CODE (t) != STRING_CST)
    return false;
  if (TREE_CODE (t) == FUNCTION_DECL || TREE_CODE (t) == LABEL_DECL)
    return false;
  tree base = get_base_address (t);
  return base && memory_base_p (base);
}

void
collect_access_sites (function *fun, auto_vec<access_site> &sites)
{
  collector collect (sites);
  basic_block bb;
  FOR_EACH_BB_FN (bb, fun)
    for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi);
	 gsi_next_nondebug (&gsi))
      collect.statement (gsi_stmt (gsi));
}

tree
byte_reference (const access_site &site)
{
  if (!site.ref || TREE_CODE (site.ref) == BIT_FIELD_REF)
    return NULL_TREE;
  return bit_field_p (site.ref) ? bit_field_bytes (site.ref) : site.ref;
}

HOST_WIDE_INT
split_address (const access_site &site, tree *base, tree *offset)
{
  *offset = NULL_TREE;
  if (!site.ref)
    {
      *base = site.address;
      if (site.offset && tree_fits_shwi_p (site.offset))
	return tree_to_shwi (site.offset);
      *offset = unshare_expr (site.offset);
      return 0;
    }
  tree ref = byte_reference (site);
  HOST_WIDE_INT first, last;
  split_reference (ref ? ref : site.ref, base, offset, &first, &last);
  return floor_byte (first);
}

/* The value that SITE loads or stores, if its bytes in memory are those of the
   value and a register holds it; or null.  */

static tree
value_of (const access_site &site)
{
  gassign *assign = dyn_cast<gassign *> (site.stmt);
  if (!assign || !site.ref || !gimple_assign_single_p (assign))
    return NULL_TREE;
  bool store = site.kind == MPRT_OP_STORE;
  tree memory = store ? gimple_assign_lhs (assign) : gimple_assign_rhs1 (assign);
  tree value = store ? gimple_assign_rhs1 (assign) : gimple_assign_lhs (assign);
  tree type = TREE_TYPE (value);
  if (memory != site.ref || byte_reference (site) != memory
      || !(TREE_CODE (value) == SSA_NAME || is_gimple_min_invariant (value))
      || !(INTEGRAL_TYPE_P (type) || POINTER_TYPE_P (type)
	   || SCALAR_FLOAT_TYPE_P (type))
      || (handled_component_p (memory)
	  && reverse_storage_order_for_component_p (memory))
      || site.width > 8 || !tree_fits_uhwi_p (TYPE_SIZE_UNIT (type))
      || tree_to_uhwi (TYPE_SIZE_UNIT (type)) != (unsigned) site.width)
    return NULL_TREE;
  return value;
}

bool
moves_pointer_p (const access_site &site)
{
  tree value = value_of (site);
  return value && POINTER_TYPE_P (TREE_TYPE (value));
}

/* An access whose value alone is needed is reported if it has one.  */

void
reported_sites (const auto_vec<access_site> &all,
		auto_vec<access_site> &reported)
{
  for (const access_site &site : all)
    {
      bool store = site.kind == MPRT_OP_STORE;
      tree value = NULL_TREE;
      if ((options.events & (store ? MPRT_STORE_VALUES : MPRT_LOAD_VALUES))
	  || ((options.events & MPRT_POINTERS) && moves_pointer_p (site)))
	value = value_of (site);
      if (!value && !(options.events
		       & (MPRT_TARGETS | (store ? MPRT_STORES : MPRT_LOADS))))
	continue;
      reported.safe_push (site);
      access_site &copy = reported.last ();
      copy.value = value;
      copy.after_p |= value && !store;
    }
}

} // namespace memprof::plugin
