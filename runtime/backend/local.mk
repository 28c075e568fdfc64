# runtime/backend/local.mk
