# runtime/backend/modules/local.mk - profiling modules and their libraries.
noinst_LIBRARIES += runtime/backend/libbackend_modules.a
runtime_backend_libbackend_modules_a_SOURCES = \
	%D%/points_to.cc \
	%D%/points_to.h \
	%D%/stride.cc \
	%D%/stride.h \
	runtime/backend/batch.h \
	runtime/backend/fault.h \
	runtime/backend/module.h \
	runtime/backend/modules.def
