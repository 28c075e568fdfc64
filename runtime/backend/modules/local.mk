# runtime/backend/modules/local.mk - profiling modules and their libraries.
noinst_LIBRARIES += runtime/backend/libbackend_modules.a
runtime_backend_libbackend_modules_a_SOURCES = \
	%D%/cache.cc \
	%D%/cache.h \
	%D%/dead_store.cc \
	%D%/dead_store.h \
	%D%/dependence.cc \
	%D%/dependence.h \
	%D%/dependence_all.cc \
	%D%/dependence_context.cc \
	%D%/dependence_engine.cc \
	%D%/dependence_engine.h \
	%D%/dependence_range.cc \
	%D%/dependence_rows.cc \
	%D%/dependence_rows.h \
	%D%/fields.cc \
	%D%/fields.h \
	%D%/lifetime.cc \
	%D%/lifetime.h \
	%D%/object_relative.cc \
	%D%/object_relative.h \
	%D%/points_to.cc \
	%D%/points_to.h \
	%D%/sharing.cc \
	%D%/sharing.h \
	%D%/silent_store.cc \
	%D%/silent_store.h \
	%D%/stride.cc \
	%D%/stride.h \
	%D%/value.cc \
	%D%/value.h \
	runtime/backend/batch.h \
	runtime/backend/cache_model.cc \
	runtime/backend/cache_model.h \
	runtime/backend/context_manager.h \
	runtime/backend/fault.h \
	runtime/backend/lmad.h \
	runtime/backend/loop_context.cc \
	runtime/backend/loop_context.h \
	runtime/backend/mdf.cc \
	runtime/backend/mdf.h \
	runtime/backend/module.h \
	runtime/backend/reducers.h \
	runtime/backend/shadow_memory.cc \
	runtime/backend/shadow_memory.h
