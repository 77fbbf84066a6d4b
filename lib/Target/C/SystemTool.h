//===- SystemTool.h - Running compilers and linkers ------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_TARGET_C_SYSTEMTOOL_H
#define TANG_LIB_TARGET_C_SYSTEMTOOL_H

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"

#include <string>

namespace mlir::tang {

/// A temporary directory that goes away with its contents.
class TemporaryDirectory {
public:
  static FailureOr<TemporaryDirectory> create(Location loc);
  TemporaryDirectory(TemporaryDirectory &&other);
  ~TemporaryDirectory();

  std::string file(StringRef name) const;
  /// Writes a new file; the result is its path.
  FailureOr<std::string> write(Location loc, StringRef name,
                               StringRef contents) const;

private:
  explicit TemporaryDirectory(std::string path) : path(std::move(path)) {}
  std::string path;
};

/// Runs `arguments` (the first is the program's path). If it fails, the error
/// at `loc` holds what it printed; if it succeeds, `output` does.
LogicalResult runTool(Location loc, const TemporaryDirectory &directory,
                      ArrayRef<std::string> arguments,
                      std::string *output = nullptr);

/// A file's contents.
FailureOr<std::string> readFile(Location loc, StringRef path);

} // namespace mlir::tang

#endif // TANG_LIB_TARGET_C_SYSTEMTOOL_H
