//===- Common.cpp - What the parts of tang-run share ---------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common.h"

#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

namespace tang_run {

static std::atomic<bool> lineShown{false};

bool fail(const llvm::Twine &message) {
  Progress::clearLine();
  llvm::errs() << "tang-run: error: " << message << "\n";
  return false;
}

Progress::Progress(std::string what) : what(std::move(what)) {
  if (llvm::sys::Process::StandardErrIsDisplayed())
    thread = std::thread([this] { loop(); });
}

Progress::~Progress() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  wake.notify_all();
  if (thread.joinable())
    thread.join();
  clearLine();
}

void Progress::set(std::string text) {
  std::lock_guard<std::mutex> lock(mutex);
  what = std::move(text);
}

void Progress::clearLine() {
  if (lineShown.exchange(false))
    llvm::errs() << "\r\033[K";
}

void Progress::loop() {
  auto start = std::chrono::steady_clock::now();
  std::unique_lock<std::mutex> lock(mutex);
  while (!stopping) {
    wake.wait_for(lock, std::chrono::milliseconds(250));
    auto seconds = std::chrono::duration_cast<std::chrono::seconds>(
                       std::chrono::steady_clock::now() - start)
                       .count();
    if (stopping || seconds < 1)
      continue;
    clearLine();
    llvm::errs() << "tang-run: " << what << ", " << seconds << " s";
    lineShown = true;
  }
}

} // namespace tang_run
