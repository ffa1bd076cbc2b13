# vstream_generate_proto(TARGET): compiles the .proto files of this folder into TARGET (messages and gRPC stubs).
find_package(Protobuf REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(GRPCPP REQUIRED IMPORTED_TARGET grpc++)
find_program(GRPC_CPP_PLUGIN grpc_cpp_plugin REQUIRED)

function(vstream_generate_proto target)
  file(GLOB protos CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.proto")
  set(out "${CMAKE_CURRENT_BINARY_DIR}")
  set(generated)
  foreach(proto IN LISTS protos)
    get_filename_component(name "${proto}" NAME_WE)
    set(files "${out}/${name}.pb.cc" "${out}/${name}.pb.h")
    set(plugin_args)
    if(name STREQUAL "vtgateservice")
      list(APPEND files "${out}/${name}.grpc.pb.cc" "${out}/${name}.grpc.pb.h")
      set(plugin_args "--grpc_out=${out}" "--plugin=protoc-gen-grpc=${GRPC_CPP_PLUGIN}")
    endif()
    add_custom_command(
      OUTPUT ${files}
      COMMAND protobuf::protoc "--proto_path=${CMAKE_CURRENT_SOURCE_DIR}" "--cpp_out=${out}" ${plugin_args} "${proto}"
      DEPENDS ${protos}
      VERBATIM)
    list(APPEND generated ${files})
  endforeach()
  add_library(${target} STATIC ${generated})
  target_include_directories(${target} SYSTEM PUBLIC $<BUILD_INTERFACE:${out}>)
  target_link_libraries(${target} PUBLIC PkgConfig::GRPCPP protobuf::libprotobuf Threads::Threads)
endfunction()
