//===- Bundle.h - Reading and writing bundles ----------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_RUNTIME_BUNDLE_H
#define TANG_RUNTIME_BUNDLE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tang_rt {

/// The files of a bundle: name and contents. Names are flat (`kernels.c`).
using BundleFiles = std::vector<std::pair<std::string, std::string>>;

/// The check sum of zlib, gzip and PNG.
uint32_t crc32(std::string_view data);

/// Letters, digits and `._-`, not starting with a dot: no way out of the
/// bundle's directory.
bool isValidFileName(std::string_view name);

/// True for a directory with a manifest.json and for a file that starts like a
/// .tangb. Reads at most a few bytes.
bool isBundle(const std::string &path);

/// The text of a .tangb file. False with a message for a bad or repeated name.
bool packBundle(const BundleFiles &files, std::string &text,
                std::string &error);

/// The files in the text of a .tangb file; every offset, size and check sum is
/// verified.
bool unpackBundle(std::string_view text, BundleFiles &files,
                  std::string &error);

/// Reads a bundle: a .tangb file, or the regular files of a directory.
bool readBundle(const std::string &path, BundleFiles &files,
                std::string &error);

/// Writes a bundle: one file if `path` ends in .tangb, else a directory. It is
/// made under a temporary name and renamed, so that a reader sees the old or
/// the new one. An existing bundle is replaced; anything else that stands at
/// `path`, apart from an empty directory, is an error.
bool writeBundle(const std::string &path, const BundleFiles &files,
                 std::string &error);

} // namespace tang_rt

#endif // TANG_RUNTIME_BUNDLE_H
