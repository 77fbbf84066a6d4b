//===- HostDevice.cpp - The CPU as a device ------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Devices.h"
#include "ThreadPool.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fstream>
#include <link.h>
#include <map>
#include <sys/mman.h>
#include <unistd.h>

namespace tang_rt {

namespace {
/// docs/Bundle.md, "Kernel ABI".
using HostKernel = void (*)(void *const *buffers, const int64_t *scalars,
                            int64_t first, int64_t last);

std::string cpuName() {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line))
    if (line.starts_with("model name"))
      if (size_t colon = line.find(": "); colon != line.npos)
        return line.substr(colon + 2);
  return "CPU";
}

unsigned threadCount() {
  if (const char *text = std::getenv("TANG_NUM_THREADS")) {
    char *end;
    long count = std::strtol(text, &end, 10);
    if (*text == 0 || *end != 0 || count < 1 || count > 4096)
      throw Error(std::string("TANG_NUM_THREADS is '") + text +
                  "', must be a number from 1 to 4096");
    return unsigned(count);
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

/// Bytes that can be had without swapping; the kernel promises more than
/// there is, and then kills.
uint64_t availableMemory() {
  std::ifstream info("/proc/meminfo");
  std::string key;
  uint64_t value;
  while (info >> key >> value) {
    if (key == "MemAvailable:")
      return value * 1024;
    info.ignore(1000, '\n');
  }
  return ~uint64_t(0);
}

/// Throws if the file ends before what its headers promise: mapping such a
/// file and touching it would kill the process.
void checkElf(const std::string &name, std::string_view text) {
  Elf64_Ehdr head;
  bool good = text.size() >= sizeof head &&
              std::memcmp(text.data(), ELFMAG, SELFMAG) == 0 &&
              text[EI_CLASS] == ELFCLASS64;
  if (good) {
    std::memcpy(&head, text.data(), sizeof head);
    good = head.e_phentsize == sizeof(Elf64_Phdr) &&
           head.e_phoff <= text.size() &&
           head.e_phnum <= (text.size() - head.e_phoff) / sizeof(Elf64_Phdr);
  }
  for (unsigned i = 0; good && i < head.e_phnum; ++i) {
    Elf64_Phdr part;
    std::memcpy(&part, text.data() + head.e_phoff + i * sizeof part,
                sizeof part);
    good = part.p_offset <= text.size() &&
           part.p_filesz <= text.size() - part.p_offset;
  }
  if (!good)
    throw Error(name + " is not a whole shared library of this machine");
}

/// A shared library of kernels.
class Library {
public:
  Library(const std::string &name, const CodeSource &source) {
    std::string path = source.path ? source.path(name) : "";
    std::string contents = source.read(name);
    checkElf(name, contents);
    if (path.empty()) {
      fd = ::memfd_create(name.c_str(), MFD_CLOEXEC);
      if (fd < 0)
        throw Error("cannot hold " + name +
                    " in memory: " + std::strerror(errno));
      for (std::string_view rest = contents; !rest.empty();) {
        ssize_t count = ::write(fd, rest.data(), rest.size());
        if (count < 0 && errno != EINTR) {
          close();
          throw Error("cannot hold " + name + " in memory");
        }
        if (count > 0)
          rest.remove_prefix(size_t(count));
      }
      path = "/proc/self/fd/" + std::to_string(fd);
    } else if (path.find('/') == path.npos) {
      path = "./" + path;
    }
    handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      std::string why = ::dlerror();
      close();
      throw Error("cannot load " + name + ": " + why);
    }
  }
  Library(const Library &) = delete;
  ~Library() {
    ::dlclose(handle);
    close();
  }

  /// Only the library's own functions: dlsym alone would also search the
  /// libraries that it depends on.
  void *find(const char *symbol) const {
    void *address = ::dlsym(handle, symbol);
    link_map *map = nullptr;
    Dl_info info;
    if (!address || ::dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 ||
        ::dladdr(address, &info) == 0 ||
        std::strcmp(info.dli_fname, map->l_name))
      return nullptr;
    return address;
  }

private:
  void close() {
    if (fd >= 0)
      ::close(fd);
  }

  void *handle;
  /// Stays open as long as the library is loaded: dlopen knows libraries by
  /// their path, and would take another one with the same number for this one.
  int fd = -1;
};

class HostCode : public DeviceCode {
public:
  std::map<std::string, std::unique_ptr<Library>> libraries;
  std::vector<HostKernel> kernels;
  std::vector<std::vector<DType>> scalarTypes;
};

class HostDevice : public Device {
public:
  HostDevice() : cpu(cpuName()), threads(threadCount()) {}

  std::string name() const override { return cpu; }
  std::string driver() const override {
    return std::to_string(threads.numThreads()) +
           (threads.numThreads() == 1 ? " thread" : " threads");
  }

  DeviceMemory alloc(uint64_t bytes) override {
    void *memory = nullptr;
    if (bytes < (uint64_t(1) << 28) || bytes <= availableMemory())
      memory = std::aligned_alloc(64, (bytes + 63) & ~uint64_t(63));
    if (!memory)
      throw Error("cannot allocate " + std::to_string(bytes) +
                  " bytes of memory");
    return memory;
  }
  void free(DeviceMemory memory) override { std::free(memory); }

  void upload(DeviceMemory to, uint64_t offset, const void *from,
              uint64_t bytes) override {
    std::memcpy(static_cast<char *>(to) + offset, from, bytes);
  }
  void download(void *to, DeviceMemory from, uint64_t offset,
                uint64_t bytes) override {
    std::memcpy(to, static_cast<char *>(from) + offset, bytes);
  }
  void copy(DeviceMemory to, DeviceMemory from, uint64_t bytes) override {
    std::memcpy(to, from, bytes);
  }

  std::unique_ptr<DeviceCode> load(const std::vector<KernelInfo> &kernels,
                                   const CodeSource &source) override;
  void launch(DeviceCode &code, size_t kernel, int64_t grid,
              const std::vector<DeviceMemory> &buffers,
              const std::vector<KernelScalar> &scalars) override;
  void sync() override {}
  bool sharesHostMemory() const override { return true; }

private:
  std::string cpu;
  ThreadPool threads;
};

std::unique_ptr<DeviceCode>
HostDevice::load(const std::vector<KernelInfo> &kernels,
                 const CodeSource &source) {
  auto code = std::make_unique<HostCode>();
  for (const KernelInfo &kernel : kernels) {
    void *address;
    if (source.resolve) {
      address = source.resolve(kernel.name.c_str());
    } else {
      const std::string &file =
          kernel.file.empty() ? "kernels.so" : kernel.file;
      std::unique_ptr<Library> &library = code->libraries[file];
      if (!library)
        library = std::make_unique<Library>(file, source);
      address = library->find(kernel.name.c_str());
    }
    if (!address)
      throw Error("kernel " + kernel.name + " is not in the compiled code");
    code->kernels.push_back(reinterpret_cast<HostKernel>(address));
    code->scalarTypes.push_back(kernel.scalars);
  }
  return code;
}

// Generated code carries no type beside its entry, which the sanitizer's check
// of indirect calls would read: just before a page that a JIT has made.
#if defined(__clang__)
#define TANG_CALLS_GENERATED_CODE __attribute__((no_sanitize("function")))
#else
#define TANG_CALLS_GENERATED_CODE
#endif

TANG_CALLS_GENERATED_CODE
static void callKernel(HostKernel function, void *const *buffers,
                       const int64_t *scalars, int64_t first, int64_t last) {
  function(buffers, scalars, first, last);
}

void HostDevice::launch(DeviceCode &code, size_t kernel, int64_t grid,
                        const std::vector<DeviceMemory> &buffers,
                        const std::vector<KernelScalar> &scalars) {
  auto &host = static_cast<HostCode &>(code);
  const std::vector<DType> &types = host.scalarTypes[kernel];
  // One more than needed, so that data() is never null.
  std::vector<int64_t> words(scalars.size() + 1);
  for (size_t i = 0; i < scalars.size(); ++i)
    if (types[i] == DType::F64)
      words[i] = std::bit_cast<int64_t>(scalars[i].real);
    else if (isFloat(types[i]))
      words[i] = std::bit_cast<uint32_t>(float(scalars[i].real));
    else
      words[i] = scalars[i].integer;
  HostKernel function = host.kernels[kernel];
  threads.run(grid, [&](int64_t first, int64_t last) {
    callKernel(function, buffers.data(), words.data(), first, last);
  });
}
} // namespace

std::unique_ptr<Device> openHostDevice() {
  return std::make_unique<HostDevice>();
}

std::vector<std::string> listHostDevices() {
  return {cpuName() + ", " + std::to_string(threadCount()) + " threads"};
}

} // namespace tang_rt
