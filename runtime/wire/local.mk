noinst_HEADERS += \
	%D%/record.h \
	%D%/ring.h \
	%D%/site_table.h
