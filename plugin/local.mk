# plugin/local.mk
