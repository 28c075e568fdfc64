# memprof_checked.s - the symbol that says that memprof_link.so has found no fault.
# SPDX-License-Identifier: GPL-3.0-or-later
	.weak	__mprt_link_with_fprofile_mem_move_fields
	.hidden	__mprt_link_with_fprofile_mem_move_fields
	.set	__mprt_link_with_fprofile_mem_move_fields, 0
	.section	.note.GNU-stack,"",@progbits
