# feedback/local.mk
