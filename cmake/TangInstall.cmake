# Installation, and the package that find_package(Tang) finds: in the build tree at <build>/lib/cmake/tang, and after
# `cmake --install` at <prefix>/lib/cmake/tang. Targets are Tang::X for a library TangX, and Tang::Runtime (the C ABI of
# libtang_runtime, no LLVM) and Tang::C (libtang-c, the C API of dialect and compiler).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(_tang_libs GLOBAL PROPERTY TANG_EXPORTED_LIBS)
get_property(_tang_tools GLOBAL PROPERTY TANG_TOOLS)
foreach(lib ${_tang_libs})
  string(REGEX REPLACE "^Tang" "" name ${lib})
  if(lib STREQUAL "tang_runtime")
    set(name Runtime)
  elseif(lib STREQUAL "tang-c")
    set(name C)
  endif()
  set_target_properties(${lib} PROPERTIES EXPORT_NAME ${name})
  # The same name for projects that add this one as a subdirectory.
  add_library(Tang::${name} ALIAS ${lib})
  # Those that need MLIR's headers and flags; the package adds them where it has found MLIR.
  if(NOT lib MATCHES "^tang")
    list(APPEND TANG_MLIR_BASED_LIBS ${name})
  endif()
endforeach()

set(TANG_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/tang)
install(TARGETS ${_tang_libs} EXPORT TangTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)
# Tools find libtang_runtime beside them, wherever the prefix is moved to.
set_target_properties(${_tang_tools} PROPERTIES
  INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR};${LLVM_LIBRARY_DIR}")
set_target_properties(tang-c PROPERTIES INSTALL_RPATH "$ORIGIN;${LLVM_LIBRARY_DIR}")
install(TARGETS ${_tang_tools} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
install(DIRECTORY include/Tang include/tang-c DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td")
install(DIRECTORY ${CMAKE_BINARY_DIR}/include/Tang DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.inc" PATTERN CMakeFiles EXCLUDE)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)
install(EXPORT TangTargets NAMESPACE Tang:: DESTINATION ${TANG_CONFIG_DIR} COMPONENT development)
export(EXPORT TangTargets NAMESPACE Tang:: FILE ${CMAKE_BINARY_DIR}/lib/cmake/tang/TangTargets.cmake)

# The package file, once for each place: the prefix is where the package file is found, so that it can be moved.
function(_tang_package output prefix includes tools)
  set(TANG_PACKAGE_PREFIX ${prefix})
  set(TANG_PACKAGE_INCLUDE_DIRS ${includes})
  set(TANG_PACKAGE_TOOLS_DIR ${tools})
  configure_file(${CMAKE_SOURCE_DIR}/cmake/TangConfig.cmake.in ${output}/TangConfig.cmake @ONLY)
  write_basic_package_version_file(${output}/TangConfigVersion.cmake COMPATIBILITY SameMinorVersion)
endfunction()

set(_tang_package_dir ${CMAKE_BINARY_DIR}/lib/cmake/tang)
_tang_package(${_tang_package_dir} "../../.." "${CMAKE_SOURCE_DIR}/include;${CMAKE_BINARY_DIR}/include"
  ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
file(RELATIVE_PATH _tang_to_prefix /prefix/${TANG_CONFIG_DIR} /prefix)
_tang_package(${_tang_package_dir}/install "${_tang_to_prefix}" "\${_tang_prefix}/${CMAKE_INSTALL_INCLUDEDIR}"
  "\${_tang_prefix}/${CMAKE_INSTALL_BINDIR}")
install(FILES ${_tang_package_dir}/install/TangConfig.cmake ${_tang_package_dir}/install/TangConfigVersion.cmake
  DESTINATION ${TANG_CONFIG_DIR} COMPONENT development)

add_subdirectory(docs)
