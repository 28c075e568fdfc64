# testsuite/unit/local.mk
