# consumers/cli/local.mk
