//===- WebGpuNode.h - A Node.js process that has WebGPU ---------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// WebGPU outside of browsers is Dawn, and Dawn's stable binding is one for
// Node.js (the npm package `webgpu`). So a child process runs WebGpuHost.js,
// and a socket carries requests to it and answers back. Whatever happens to the
// child, the caller gets an error.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_RUNTIME_WEBGPUNODE_H
#define TANG_LIB_RUNTIME_WEBGPUNODE_H

#include "Error.h"

#include <nlohmann/json.hpp>
#include <sys/types.h>

#include <string>
#include <string_view>

namespace tang_rt {

class WebGpuNode {
public:
  /// Starts `node`, or what the environment variable TANG_NODE names. Throws if
  /// there is none.
  WebGpuNode();
  ~WebGpuNode();
  WebGpuNode(const WebGpuNode &) = delete;

  struct Answer {
    nlohmann::json value;
    std::string data;
  };
  /// Sends a request and waits for its answer. Throws with the text of the
  /// other side if that is an error; if the process has ended; and after
  /// TANG_WEBGPU_TIMEOUT seconds (600) without an answer.
  Answer ask(const nlohmann::json &message, std::string_view data = {});
  /// Sends a request that has no answer.
  void tell(const nlohmann::json &message, std::string_view data = {});

private:
  void sendAll(std::string_view bytes);
  std::string receive(size_t bytes);
  void waitFor(short events);
  [[noreturn]] void fail(const std::string &why);
  void stop();

  pid_t child = -1;
  int socket = -1;
  int log = -1; ///< what the process prints
  double timeout;
};

} // namespace tang_rt

#endif // TANG_LIB_RUNTIME_WEBGPUNODE_H
