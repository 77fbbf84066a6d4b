//===- WebGpuNode.cpp - A Node.js process that has WebGPU -----------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WebGpuNode.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char **environ;

namespace tang_rt {

/// WebGpuHost.js.
extern const char *const webGpuHost;

/// The descriptor by which the child has the socket.
static constexpr int kChildSocket = 3;

static double timeoutFromEnvironment() {
  const char *text = std::getenv("TANG_WEBGPU_TIMEOUT");
  if (!text)
    return 600;
  char *end;
  double seconds = std::strtod(text, &end);
  if (*text == 0 || *end != 0 || !(seconds > 0 && seconds < 1e6))
    throw Error(std::string("TANG_WEBGPU_TIMEOUT is '") + text +
                "', must be a number of seconds");
  return seconds;
}

WebGpuNode::WebGpuNode() : timeout(timeoutFromEnvironment()) {
  const char *given = std::getenv("TANG_NODE");
  std::string node = given && *given ? given : "node";
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw Error(std::string("cannot make a socket: ") + std::strerror(errno));
  socket = ends[0];
  log = ::memfd_create("webgpu-log", MFD_CLOEXEC);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", 0, 0);
  if (log >= 0) {
    posix_spawn_file_actions_adddup2(&actions, log, 1);
    posix_spawn_file_actions_adddup2(&actions, log, 2);
  }
  posix_spawn_file_actions_adddup2(&actions, ends[1], kChildSocket);
  // What the terminal sends (Ctrl-C) is the parent's to act upon; the child
  // ends with its socket.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const char *arguments[] = {node.c_str(), "-e", webGpuHost, nullptr};
  int code = ::posix_spawnp(&child, node.c_str(), &actions, &attributes,
                            const_cast<char **>(arguments), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (code != 0) {
    child = -1;
    stop();
    throw Error("there is no WebGPU device: cannot start " + node +
                " (Node.js), which WebGPU needs: " + std::strerror(code));
  }
}

WebGpuNode::~WebGpuNode() { stop(); }

/// The process ends with its socket, or is killed.
void WebGpuNode::stop() {
  if (socket >= 0)
    ::close(socket);
  socket = -1;
  for (int i = 0; child > 0 && i < 100; ++i) {
    if (::waitpid(child, nullptr, WNOHANG) != 0)
      child = -1;
    else
      std::this_thread::sleep_for(std::chrono::milliseconds(i < 20 ? 2 : 20));
  }
  if (child > 0) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    child = -1;
  }
  if (log >= 0)
    ::close(log);
  log = -1;
}

/// Says also what the process printed last, which may be why.
void WebGpuNode::fail(const std::string &why) {
  std::string text;
  if (log >= 0) {
    off_t size = ::lseek(log, 0, SEEK_END);
    off_t start = size > 2000 ? size - 2000 : 0;
    text.resize(size_t(size - start));
    ssize_t count = ::pread(log, text.data(), text.size(), start);
    text.resize(count < 0 ? 0 : size_t(count));
    while (!text.empty() && text.back() == '\n')
      text.pop_back();
  }
  stop();
  throw Error(why + (text.empty() ? "" : "; it printed\n" + text));
}

void WebGpuNode::waitFor(short events) {
  if (socket < 0)
    throw Error("the WebGPU process has ended");
  pollfd poll = {socket, events, 0};
  using Clock = std::chrono::steady_clock;
  auto end = Clock::now() + std::chrono::duration<double>(timeout);
  for (;;) {
    std::chrono::duration<double> left = end - Clock::now();
    if (left.count() <= 0)
      fail("WebGPU does not answer within " + nlohmann::json(timeout).dump() +
           " s (TANG_WEBGPU_TIMEOUT)");
    int found = ::poll(&poll, 1, int(std::min(left.count(), 3600.0) * 1e3) + 1);
    if (found > 0)
      return;
    if (found < 0 && errno != EINTR)
      fail(std::string("cannot wait for WebGPU: ") + std::strerror(errno));
  }
}

void WebGpuNode::sendAll(std::string_view bytes) {
  while (!bytes.empty()) {
    waitFor(POLLOUT);
    ssize_t count =
        ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno != EINTR && errno != EAGAIN)
      fail("the WebGPU process (Node.js) has ended");
    if (count > 0)
      bytes.remove_prefix(size_t(count));
  }
}

std::string WebGpuNode::receive(size_t bytes) {
  std::string data(bytes, 0);
  for (size_t done = 0; done < bytes;) {
    waitFor(POLLIN);
    ssize_t count = ::recv(socket, &data[done], bytes - done, MSG_DONTWAIT);
    if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN))
      fail("the WebGPU process (Node.js) has ended");
    if (count > 0)
      done += size_t(count);
  }
  return data;
}

void WebGpuNode::tell(const nlohmann::json &message, std::string_view data) {
  // Text that is not UTF-8 (a path) must not throw.
  std::string text =
      message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  uint32_t sizes[2] = {uint32_t(text.size()), uint32_t(data.size())};
  if (data.size() > UINT32_MAX)
    throw Error("WebGPU takes at most 4 GiB at once");
  sendAll({reinterpret_cast<const char *>(sizes), sizeof sizes});
  sendAll(text);
  sendAll(data);
}

WebGpuNode::Answer WebGpuNode::ask(const nlohmann::json &message,
                                   std::string_view data) {
  tell(message, data);
  uint32_t sizes[2];
  std::memcpy(sizes, receive(sizeof sizes).data(), sizeof sizes);
  std::string text = receive(sizes[0]);
  Answer answer;
  answer.value = nlohmann::json::parse(text, nullptr, /*exceptions=*/false);
  answer.data = receive(sizes[1]);
  if (!answer.value.is_object())
    fail("the WebGPU process sends what is no answer");
  auto error = answer.value.find("error");
  if (error != answer.value.end())
    throw Error(error->is_string() ? error->get<std::string>() : "unknown");
  answer.value = answer.value.value("ok", nlohmann::json());
  return answer;
}

} // namespace tang_rt
