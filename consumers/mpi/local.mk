# consumers/mpi/local.mk - memprof-mpi-merge, where Open MPI was found.
if HAVE_MPI
bin_PROGRAMS += memprof-mpi-merge
endif
memprof_mpi_merge_SOURCES = \
	%D%/main.cc \
	%D%/message.cc \
	%D%/message.h \
	%D%/ranks.cc \
	%D%/ranks.h
memprof_mpi_merge_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
memprof_mpi_merge_LDADD = libmemprof-cli.a libmemprof-feedback.la $(MPI_LIBS) $(TBB_LIBS)
