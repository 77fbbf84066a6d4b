//===- Common.h - What the parts of tang-run share -----------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_TOOLS_TANG_RUN_COMMON_H
#define TANG_TOOLS_TANG_RUN_COMMON_H

#include "Tang/Runtime/HostTensor.h"
#include "Tang/Runtime/Signature.h"

#include "llvm/ADT/Twine.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace tang_run {

/// All went well, outputs differ, bad use or a refusal.
enum ExitCode { kGood = 0, kDiffers = 1, kBad = 2 };

/// Prints `tang-run: error: MESSAGE`; returns false.
bool fail(const llvm::Twine &message);

/// Says on a terminal what takes so long, from the first second on.
class Progress {
public:
  explicit Progress(std::string what);
  ~Progress();
  /// Changes the text.
  void set(std::string what);
  /// Removes the line before something else is printed on stderr.
  static void clearLine();

private:
  void loop();

  std::string what;
  bool stopping = false;
  std::mutex mutex;
  std::condition_variable wake;
  std::thread thread;
};

} // namespace tang_run

#endif // TANG_TOOLS_TANG_RUN_COMMON_H
