noinst_HEADERS += \
	%D%/options.def \
	%D%/record.h \
	%D%/ring.h \
	%D%/site_table.h
