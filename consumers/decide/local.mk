# consumers/decide/local.mk
