//===- Files.h - Reading and safely replacing files ----------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_RUNTIME_FILES_H
#define TANG_RUNTIME_FILES_H

#include <initializer_list>
#include <string>
#include <string_view>

namespace tang_rt {

/// Reads a regular file whole; false with `PATH: reason`.
bool readFile(const std::string &path, std::string &contents,
              std::string &error);

/// Writes the parts one after the other to a temporary file in the same
/// directory and renames it over `path`, so that nobody ever sees half a file.
/// A path that is not a regular file (a pipe, /dev/null) is written directly.
bool replaceFile(const std::string &path,
                 std::initializer_list<std::string_view> parts,
                 std::string &error);

} // namespace tang_rt

#endif // TANG_RUNTIME_FILES_H
