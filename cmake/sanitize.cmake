# The build type Sanitize: assertions, stack traces, some speed. VSTREAM_SANITIZE says which sanitizers; every finding
# ends the program.
set(CMAKE_CXX_FLAGS_SANITIZE "-O1 -g1")
if(VSTREAM_SANITIZE)
  add_compile_options(-fsanitize=${VSTREAM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${VSTREAM_SANITIZE})
endif()
