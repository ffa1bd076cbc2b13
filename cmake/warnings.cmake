# The warnings that our own code is built with. They are errors only when vstream is the top-level project, so that
# a newer compiler in somebody else's build never breaks it, and not under sanitizers, which make GCC see ghosts.
add_library(vstream_warnings INTERFACE)
target_compile_options(
  vstream_warnings
  INTERFACE -Wall
            -Wextra
            -Wpedantic
            -Wconversion
            -Wsign-conversion
            -Wshadow
            -Wnon-virtual-dtor
            -Wold-style-cast
            -Wcast-qual
            -Woverloaded-virtual
            -Wformat=2
            -Wimplicit-fallthrough
            -Wnull-dereference)
if(PROJECT_IS_TOP_LEVEL AND NOT VSTREAM_SANITIZE)
  target_compile_options(vstream_warnings INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees null dereferences and overreads inside its own inlined library code.
  target_compile_options(vstream_warnings INTERFACE -Wno-null-dereference -Wduplicated-cond -Wlogical-op)
endif()
