//===- ThreadPool.h - Dealing blocks to threads --------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_RUNTIME_THREADPOOL_H
#define TANG_LIB_RUNTIME_THREADPOOL_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tang_rt {

/// A few threads that share out the blocks of one launch at a time.
class ThreadPool {
public:
  /// `threads` counts the caller, which works too.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();

  unsigned numThreads() const { return unsigned(workers.size()) + 1; }

  /// Calls `work(first, last)` for ranges that together cover 0 <= b < count,
  /// each once, from several threads; returns when all are done.
  void run(int64_t count, const std::function<void(int64_t, int64_t)> &work);

private:
  void workerLoop();
  void takeChunks();

  std::vector<std::thread> workers;
  std::mutex mutex;
  std::condition_variable start, done;
  uint64_t generation = 0;
  unsigned busy = 0;
  bool stopping = false;

  const std::function<void(int64_t, int64_t)> *current = nullptr;
  int64_t total = 0;
  int64_t chunk = 1;
  std::atomic<int64_t> next{0};
};

} // namespace tang_rt

#endif // TANG_LIB_RUNTIME_THREADPOOL_H
