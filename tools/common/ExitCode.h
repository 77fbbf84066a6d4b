//===- ExitCode.h - Exit codes of the tools ---------------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All tools exit with 0 when good and with 2 on bad use, invalid input or
// refusal (tang-run: 1 for differing outputs). Upstream's drivers exit with 1,
// and option parsing ends the process itself; both are mapped here.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_TOOLS_COMMON_EXITCODE_H
#define TANG_TOOLS_COMMON_EXITCODE_H

#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace tang_tools {

constexpr int kRefused = 2;

/// While one exists, leaving the process with an error leaves it with 2.
class ExitWithRefusal {
public:
  ExitWithRefusal() {
    active() = true;
    static bool registered = (std::atexit(leave), true);
    (void)registered;
  }
  ~ExitWithRefusal() { active() = false; }

private:
  static bool &active() {
    static bool value = false;
    return value;
  }
  static void leave() {
    if (!active())
      return;
    std::fflush(nullptr);
    std::_Exit(kRefused);
  }
};

/// Says that there is no reason where none was given: some verifiers of
/// upstream's operations (tosa.argmax with an impossible result type) fail
/// without a word, which would leave a user with an exit code alone.
class Reasons {
public:
  /// The exit code of a refusal of `tool`.
  int refused(const char *tool) const {
    if (llvm::errs().tell() == before)
      llvm::errs() << tool
                   << ": error: the input is invalid: the verifier of one of "
                      "its operations fails without saying why\n";
    return kRefused;
  }

private:
  uint64_t before = llvm::errs().tell();
};

} // namespace tang_tools

#endif // TANG_TOOLS_COMMON_EXITCODE_H
