# testsuite/bench/local.mk
