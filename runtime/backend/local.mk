# runtime/backend/local.mk - memprof-backend, the process that reads the stream.
#
# All but main() is in a library, so that the unit tests can link it.
memproflibexec_PROGRAMS += memprof-backend
memprof_backend_SOURCES = %D%/main.cc
memprof_backend_LDADD = %D%/libbackend.a \
	%D%/libbackend_modules.a libmemprof-feedback.la $(TBB_LIBS)

noinst_LIBRARIES += %D%/libbackend.a
runtime_backend_libbackend_a_CPPFLAGS = $(AM_CPPFLAGS) $(TBB_CFLAGS)
runtime_backend_libbackend_a_SOURCES = \
	%D%/batch.h \
	%D%/dump.cc \
	%D%/dump.h \
	%D%/module.h \
	%D%/module_image.cc \
	%D%/module_image.h \
	%D%/module_table.cc \
	%D%/module_table.h \
	%D%/records.h \
	%D%/sparse_table.h \
	%D%/stream_file.cc \
	%D%/stream_file.h

include runtime/backend/modules/local.mk
