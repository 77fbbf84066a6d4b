//===- SystemTool.cpp - Running compilers and linkers ---------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SystemTool.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::tang;

FailureOr<TemporaryDirectory> TemporaryDirectory::create(Location loc) {
  SmallString<128> path;
  if (std::error_code error =
          llvm::sys::fs::createUniqueDirectory("tang", path))
    return emitError(loc) << "cannot create a temporary directory: "
                          << error.message();
  return TemporaryDirectory(path.str().str());
}

TemporaryDirectory::TemporaryDirectory(TemporaryDirectory &&other)
    : path(std::move(other.path)) {
  other.path.clear();
}

TemporaryDirectory::~TemporaryDirectory() {
  if (!path.empty())
    llvm::sys::fs::remove_directories(path);
}

std::string TemporaryDirectory::file(StringRef name) const {
  SmallString<128> result(path);
  llvm::sys::path::append(result, name);
  return result.str().str();
}

FailureOr<std::string> TemporaryDirectory::write(Location loc, StringRef name,
                                                 StringRef contents) const {
  std::string result = file(name);
  std::error_code error;
  llvm::raw_fd_ostream os(result, error);
  if (!error) {
    os << contents;
    os.close();
    error = os.error();
    os.clear_error();
  }
  if (error)
    return emitError(loc) << "cannot write " << result << ": "
                          << error.message();
  return result;
}

FailureOr<std::string> mlir::tang::readFile(Location loc, StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return emitError(loc) << "cannot read " << path << ": "
                          << buffer.getError().message();
  return (*buffer)->getBuffer().str();
}

LogicalResult mlir::tang::runTool(Location loc,
                                  const TemporaryDirectory &directory,
                                  ArrayRef<std::string> arguments,
                                  std::string *output) {
  SmallVector<StringRef> refs(arguments.begin(), arguments.end());
  std::string log = directory.file("log.txt");
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(log),
                                          StringRef(log)};
  std::string message;
  int code = llvm::sys::ExecuteAndWait(refs[0], refs, std::nullopt, redirects,
                                       0, 0, &message);
  auto printed = llvm::MemoryBuffer::getFile(log);
  if (code == 0) {
    if (output && printed)
      *output = (*printed)->getBuffer().str();
    return success();
  }
  InFlightDiagnostic error = emitError(loc) << refs[0] << " failed";
  if (code > 0)
    error << " with exit code " << code;
  if (!message.empty())
    error << ": " << message;
  if (printed && !(*printed)->getBuffer().empty())
    error << ":\n" << (*printed)->getBuffer().take_front(4000);
  return error;
}
