# Unit tests: one GoogleTest binary per library.
if HAVE_GTEST
check_PROGRAMS += decide_test
TESTS += decide_test
endif
decide_test_SOURCES = %D%/decide_test.cc
decide_test_CPPFLAGS = $(AM_CPPFLAGS) $(GTEST_CFLAGS)
decide_test_LDADD = libdecide.la $(GTEST_LIBS)
