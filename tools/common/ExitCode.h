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

} // namespace tang_tools

#endif // TANG_TOOLS_COMMON_EXITCODE_H
