# testsuite/policy/local.mk
