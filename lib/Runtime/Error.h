//===- Error.h - The exception of the runtime's inside -------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_RUNTIME_ERROR_H
#define TANG_LIB_RUNTIME_ERROR_H

#include <new>
#include <stdexcept>
#include <string>

namespace tang_rt {

/// Thrown inside the runtime only; every public function catches it.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Runs `body`; false with the message if it throws.
template <typename F> bool catchErrors(std::string &error, F body) {
  try {
    body();
    return true;
  } catch (const std::bad_alloc &) {
    error = "out of memory";
  } catch (const std::length_error &) {
    error = "out of memory";
  } catch (const std::exception &exception) {
    error = exception.what();
  }
  return false;
}

} // namespace tang_rt

#endif // TANG_LIB_RUNTIME_ERROR_H
