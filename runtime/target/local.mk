# runtime/target/local.mk
