# testsuite/long/local.mk
