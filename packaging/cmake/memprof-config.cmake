# memprof-config.cmake - memory profiles for targets of CMake.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     find_package (memprof REQUIRED)
#     memprof_generate (app)                               # the program writes app.memprof.json
#     memprof_use (app PROFILE ${CMAKE_SOURCE_DIR}/app.memprof.json)
#
# memprof_targets (app lib) does one or the other by the cache variable MEMPROF: generate, use (of the folder
# MEMPROF_PROFILES), or off.  All targets of a program get the same.  The compiler is GCC.

find_program (MEMPROF_COMMAND memprof HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../bin")
if (CMAKE_C_COMPILER)
  set (memprof_compiler "${CMAKE_C_COMPILER}")
else ()
  set (memprof_compiler "${CMAKE_CXX_COMPILER}")
endif ()
if (MEMPROF_COMMAND)
  execute_process (COMMAND "${MEMPROF_COMMAND}" --specs "--gcc=${memprof_compiler}"
    OUTPUT_VARIABLE MEMPROF_SPECS OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE memprof_status ERROR_VARIABLE memprof_error)
  if (memprof_status)
    message (STATUS "${memprof_error}")
    unset (MEMPROF_SPECS)
  endif ()
endif ()
include (FindPackageHandleStandardArgs)
find_package_handle_standard_args (memprof REQUIRED_VARS MEMPROF_COMMAND MEMPROF_SPECS)

set (MEMPROF off CACHE STRING "memory profiles: off, generate or use")
set_property (CACHE MEMPROF PROPERTY STRINGS off generate use)
set (MEMPROF_PROFILES "${CMAKE_SOURCE_DIR}" CACHE PATH "file or folder of memory profiles")

function (memprof_options target)
  target_compile_options (${target} PRIVATE "-specs=${MEMPROF_SPECS}" -g ${ARGN})
  target_link_options (${target} PRIVATE "-specs=${MEMPROF_SPECS}" ${ARGN})
endfunction ()

function (memprof_generate)
  foreach (target ${ARGN})
    memprof_options (${target} -fprofile-mem-generate)
  endforeach ()
endfunction ()

function (memprof_use)
  cmake_parse_arguments (memprof "" "PROFILE" "" ${ARGN})
  if (NOT memprof_PROFILE)
    set (memprof_PROFILE "${MEMPROF_PROFILES}")
  endif ()
  foreach (target ${memprof_UNPARSED_ARGUMENTS})
    memprof_options (${target} "-fprofile-mem-use=${memprof_PROFILE}")
  endforeach ()
endfunction ()

function (memprof_targets)
  if (MEMPROF STREQUAL generate)
    memprof_generate (${ARGN})
  elseif (MEMPROF STREQUAL use)
    memprof_use (${ARGN})
  endif ()
endfunction ()
