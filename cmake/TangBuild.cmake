# How Tang's own targets are built: flags, the precompiled header, and one function a kind of target.

if(CMAKE_CXX_COMPILER_ID MATCHES "Clang|GNU")
  add_compile_options(-Wall -Wextra -Wno-unused-parameter)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-deprecated-declarations>)
    add_link_options(-fuse-ld=lld)
  else()
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-deprecated-declarations>
                        $<$<COMPILE_LANGUAGE:CXX>:-Wno-dangling-reference>)
  endif()
endif()
if(TANG_ASSERTIONS)
  string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
  string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
endif()
if(TANG_SANITIZE)
  add_compile_options(-fsanitize=${TANG_SANITIZE} -fno-omit-frame-pointer -fno-sanitize=vptr -g1)
  add_link_options(-fsanitize=${TANG_SANITIZE})
endif()

# LLVM and MLIR come as shared libraries only; static ones must not be mixed in.
set(TANG_MLIR_LIBS MLIR LLVM)

# One precompiled header for all code on top of MLIR: 11 s become 3 s a file.
file(WRITE ${CMAKE_BINARY_DIR}/tang_pch.cpp "// The precompiled header's own translation unit.\n")
add_library(tang_pch OBJECT ${CMAKE_BINARY_DIR}/tang_pch.cpp)
target_precompile_headers(tang_pch PRIVATE ${CMAKE_SOURCE_DIR}/include/Tang/Pch.h)
target_compile_options(tang_pch PRIVATE -fno-rtti -fno-exceptions)

function(_tang_mlir_target name)
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti> $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
  target_precompile_headers(${name} REUSE_FROM tang_pch)
endfunction()

# add_tang_library(Name a.cpp b.cpp [DEPENDS tablegen targets] [LINK_LIBS libraries])
# A library on top of MLIR, compiled like MLIR itself without RTTI and exceptions.
function(add_tang_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  _tang_mlir_target(${name})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS} ${TANG_MLIR_LIBS})
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:include>)
  set_property(GLOBAL APPEND PROPERTY TANG_EXPORTED_LIBS ${name})
endfunction()

# add_tang_tool(name a.cpp [LINK_LIBS libraries])
function(add_tang_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  _tang_mlir_target(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} ${TANG_MLIR_LIBS})
  set_property(GLOBAL APPEND PROPERTY TANG_TOOLS ${name})
endfunction()
