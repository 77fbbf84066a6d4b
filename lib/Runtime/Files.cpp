//===- Files.cpp - Reading and safely replacing files --------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Runtime/Files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/stat.h>
#include <unistd.h>

namespace tang_rt {

static bool fail(const std::string &path, std::string &error) {
  error = path + ": " + std::strerror(errno);
  return false;
}

bool readFile(const std::string &path, std::string &contents,
              std::string &error) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return fail(path, error);
  struct stat info;
  bool good = ::fstat(fd, &info) == 0;
  if (good && S_ISDIR(info.st_mode)) {
    errno = EISDIR;
    good = false;
  }
  contents.clear();
  try {
    if (good && S_ISREG(info.st_mode))
      contents.reserve(size_t(info.st_size));
    char chunk[1 << 16];
    while (good) {
      ssize_t count = ::read(fd, chunk, sizeof chunk);
      if (count < 0 && errno == EINTR)
        continue;
      good = count >= 0;
      if (count <= 0)
        break;
      contents.append(chunk, size_t(count));
    }
  } catch (const std::exception &) {
    errno = ENOMEM;
    good = false;
  }
  if (!good)
    fail(path, error);
  ::close(fd);
  return good;
}

static bool writeAll(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t count = ::write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return false;
    text.remove_prefix(size_t(count));
  }
  return true;
}

bool replaceFile(const std::string &path,
                 std::initializer_list<std::string_view> parts,
                 std::string &error) {
  struct stat info;
  bool direct = ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
  std::string target =
      direct ? path : path + ".tmp." + std::to_string(::getpid());
  int fd =
      ::open(target.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0)
    return fail(path, error);
  bool good = true;
  for (std::string_view part : parts)
    good = good && writeAll(fd, part);
  if (!good)
    fail(path, error);
  if (::close(fd) != 0 && good)
    good = fail(path, error);
  if (!direct && good && ::rename(target.c_str(), path.c_str()) != 0)
    good = fail(path, error);
  if (!direct && !good)
    ::unlink(target.c_str());
  return good;
}

} // namespace tang_rt
