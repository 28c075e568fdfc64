# Unit tests: one GoogleTest binary per library.
if HAVE_GTEST
check_PROGRAMS += decide_test
TESTS += decide_test
endif
decide_test_SOURCES = %D%/decide_test.cc
decide_test_CPPFLAGS = $(AM_CPPFLAGS) $(GTEST_CFLAGS)
decide_test_LDADD = libdecide.la $(GTEST_LIBS)

if HAVE_GTEST
check_PROGRAMS += backend_test
TESTS += backend_test
endif

backend_test_CPPFLAGS = $(AM_CPPFLAGS) $(GTEST_CFLAGS)
backend_test_LDADD = runtime/backend/libbackend.a \
	runtime/backend/libbackend_modules.a libmemprof-feedback.la \
	$(GTEST_LIBS)
backend_test_SOURCES = \
	%D%/backend_testutil.h \
	%D%/points_to_test.cc \
	%D%/stride_test.cc
