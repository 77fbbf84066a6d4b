//===- ThreadPool.cpp - Dealing blocks to threads ------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadPool.h"

#include <algorithm>
#include <system_error>

namespace tang_rt {

ThreadPool::ThreadPool(unsigned threads) {
  try {
    for (unsigned i = 1; i < threads; ++i)
      workers.emplace_back([this] { workerLoop(); });
  } catch (const std::system_error &) {
    // Fewer threads than asked for will do.
  }
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(mutex);
    stopping = true;
  }
  start.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

void ThreadPool::takeChunks() {
  while (true) {
    // `next` may pass `total` by a chunk a thread: both are far below 2^63.
    int64_t first = next.fetch_add(chunk, std::memory_order_relaxed);
    if (first >= total)
      return;
    (*current)(first, std::min(total, first + chunk));
  }
}

void ThreadPool::workerLoop() {
  uint64_t seen = 0;
  std::unique_lock lock(mutex);
  while (true) {
    start.wait(lock, [&] { return stopping || generation != seen; });
    if (stopping)
      return;
    seen = generation;
    lock.unlock();
    takeChunks();
    lock.lock();
    if (--busy == 0)
      done.notify_one();
  }
}

void ThreadPool::run(int64_t count,
                     const std::function<void(int64_t, int64_t)> &work) {
  if (count <= 0)
    return;
  if (workers.empty() || count == 1) {
    work(0, count);
    return;
  }
  {
    std::lock_guard lock(mutex);
    current = &work;
    total = count;
    // Several chunks a thread even out blocks of unequal length.
    chunk = std::max<int64_t>(1, count / (int64_t(numThreads()) * 8));
    next.store(0, std::memory_order_relaxed);
    busy = unsigned(workers.size());
    ++generation;
  }
  start.notify_all();
  takeChunks();
  std::unique_lock lock(mutex);
  done.wait(lock, [&] { return busy == 0; });
  current = nullptr;
}

} // namespace tang_rt
