noinst_HEADERS += \
	%D%/arena_cell.h \
	%D%/events.def \
	%D%/module_events.h \
	%D%/modules.def \
	%D%/options.def \
	%D%/record.h \
	%D%/ring.h \
	%D%/site_table.h \
	%D%/tune_cell.h
