//===- FakeCuda.cpp - A CUDA driver that only takes notes ----------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A libcuda.so.1 for machines without a GPU. Memory is the host's and copies
// are done; a launch runs nothing. Every call that matters is a line of a log:
//   launch NAME grid 6 block 384 shared 100000 cluster 2 dependent 1
//     args m0 2a map1
// where mN is the N-th allocation, mapN the N-th encoded tensor map, and all
// else the argument's bytes as a hexadecimal number. Modules are PTX, of which
// only the parameters of entries are read; a module that starts with "error"
// is refused with its text as the log.
//
// fake_cuda_log() returns the log and clears it; where the environment names
// FAKE_CUDA_LOG, it is appended to that file instead. Built as C++ of its own:
// the runtime's declarations must not be what is checked against.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <regex>
#include <string>
#include <vector>

namespace {
struct Parameter {
  size_t size;
};
struct FakeFunction {
  std::string name;
  std::vector<Parameter> parameters;
};
struct FakeModule {
  std::map<std::string, FakeFunction> functions;
};

std::string text;
std::vector<std::pair<char *, size_t>> blocks;
int encoded = 0;

void note(const std::string &line) {
  if (const char *path = std::getenv("FAKE_CUDA_LOG")) {
    if (FILE *file = std::fopen(path, "a")) {
      std::fprintf(file, "%s\n", line.c_str());
      std::fclose(file);
    }
    return;
  }
  text += line + "\n";
}

std::string number(uint64_t value) { return std::to_string(value); }

std::string pointerName(uint64_t address) {
  for (size_t i = 0; i < blocks.size(); ++i)
    if (uint64_t(blocks[i].first) == address)
      return "m" + number(i);
  return "";
}

template <typename T> std::string list(const T *values, size_t count) {
  std::string line = "[";
  for (size_t i = 0; i < count; ++i)
    line += (i ? " " : "") + number(values[i]);
  return line + "]";
}

/// The entries of PTX with the sizes of their parameters.
FakeModule parse(const std::string &ptx) {
  FakeModule module;
  std::regex entry(R"(\.entry\s+(\w+)\s*\(([^)]*)\))");
  std::regex parameter(
      R"(\.param(?:\s+\.align\s+\d+)?\s+\.[a-z]+(\d+)[^,\[]*(?:\[(\d+)\])?)");
  for (std::sregex_iterator it(ptx.begin(), ptx.end(), entry), end; it != end;
       ++it) {
    FakeFunction function{(*it)[1], {}};
    std::string list = (*it)[2];
    for (std::sregex_iterator p(list.begin(), list.end(), parameter); p != end;
         ++p) {
      size_t bytes = std::stoul((*p)[1]) / 8;
      size_t count = (*p)[2].matched ? std::stoul((*p)[2]) : 1;
      function.parameters.push_back({bytes * count});
    }
    module.functions[function.name] = function;
  }
  return module;
}

struct LaunchAttribute {
  uint32_t id, pad, value[16];
};
struct LaunchConfig {
  uint32_t grid[3], block[3], shared;
  void *stream;
  const LaunchAttribute *attributes;
  uint32_t count;
};
} // namespace

extern "C" {
using Result = int;

const char *fake_cuda_log() {
  static std::string last;
  last = std::move(text);
  text.clear();
  return last.c_str();
}

Result cuGetErrorName(Result code, const char **name) {
  *name = code == 218   ? "CUDA_ERROR_INVALID_PTX"
          : code == 500 ? "CUDA_ERROR_NOT_FOUND"
                        : "CUDA_ERROR_INVALID_VALUE";
  return 0;
}
Result cuGetErrorString(Result, const char **string) {
  *string = "the fake driver says no";
  return 0;
}
Result cuInit(unsigned) { return 0; }
Result cuDriverGetVersion(int *version) {
  *version = 13000;
  return 0;
}
Result cuDeviceGetCount(int *count) {
  *count = 1;
  return 0;
}
Result cuDeviceGet(int *device, int index) {
  *device = index;
  return 0;
}
Result cuDeviceGetName(char *name, int length, int) {
  std::snprintf(name, size_t(length), "Fake GPU");
  return 0;
}
Result cuDeviceGetAttribute(int *value, int which, int) {
  switch (which) {
  case 75: // compute capability
    *value = 9;
    break;
  case 97: // shared memory, opt-in
    *value = 232448;
    break;
  default:
    *value = 0;
  }
  return 0;
}
Result cuDevicePrimaryCtxRetain(void **context, int) {
  *context = &blocks;
  return 0;
}
Result cuDevicePrimaryCtxRelease_v2(int) { return 0; }
Result cuCtxSetCurrent(void *) { return 0; }
Result cuStreamCreate(void **stream, unsigned) {
  *stream = &text;
  return 0;
}
Result cuStreamDestroy_v2(void *) { return 0; }
Result cuStreamSynchronize(void *) { return 0; }

Result cuMemAlloc_v2(uint64_t *pointer, size_t bytes) {
  char *memory = static_cast<char *>(
      std::aligned_alloc(256, (bytes + 255) & ~size_t(255)));
  if (!memory)
    return 2;
  std::memset(memory, 0, bytes);
  note("alloc m" + number(blocks.size()) + " " + number(bytes));
  blocks.emplace_back(memory, bytes);
  *pointer = uint64_t(memory);
  return 0;
}
Result cuMemFree_v2(uint64_t pointer) {
  note("free " + pointerName(pointer));
  for (auto &[memory, bytes] : blocks)
    if (uint64_t(memory) == pointer)
      memory = nullptr;
  std::free(reinterpret_cast<void *>(pointer));
  return 0;
}
Result cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes,
                            void *) {
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return 0;
}
Result cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *) {
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return 0;
}
Result cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *) {
  std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from),
              bytes);
  return 0;
}
Result cuMemsetD32Async(uint64_t, unsigned, size_t count, void *) {
  note("memset " + number(count * 4));
  return 0;
}

Result cuModuleLoadDataEx(void **module, const void *image, unsigned count,
                          const int *options, void **values) {
  std::string ptx(static_cast<const char *>(image));
  if (ptx.starts_with("error")) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == 5) // CU_JIT_ERROR_LOG_BUFFER
        std::strcpy(static_cast<char *>(values[i]), ptx.c_str());
    return 218;
  }
  note("load");
  *module = new FakeModule(parse(ptx));
  return 0;
}
Result cuModuleUnload(void *module) {
  note("unload");
  delete static_cast<FakeModule *>(module);
  return 0;
}
Result cuModuleGetFunction(void **function, void *module, const char *name) {
  auto &functions = static_cast<FakeModule *>(module)->functions;
  auto found = functions.find(name);
  if (found == functions.end())
    return 500;
  *function = &found->second;
  return 0;
}
Result cuFuncGetAttribute(int *value, int, void *) {
  *value = 1024;
  return 0;
}
Result cuFuncSetAttribute(void *function, int which, int value) {
  note("attribute " + static_cast<FakeFunction *>(function)->name + " " +
       number(uint64_t(which)) + " " + number(uint64_t(value)));
  return 0;
}
Result cuFuncGetParamInfo(void *function, size_t index, size_t *offset,
                          size_t *size) {
  const auto &parameters = static_cast<FakeFunction *>(function)->parameters;
  if (index >= parameters.size())
    return 1;
  *offset = 0;
  *size = parameters[index].size;
  return 0;
}

Result cuTensorMapEncodeTiled(uint64_t *map, int type, uint32_t rank,
                              void *address, const uint64_t *dims,
                              const uint64_t *strides, const uint32_t *box,
                              const uint32_t *steps, int interleave,
                              int swizzle, int l2, int fill) {
  if (uint64_t(map) % 64 != 0 || uint64_t(address) % 16 != 0)
    return 1;
  map[0] = uint64_t(++encoded);
  note("encode map" + number(map[0]) + " type " + number(uint64_t(type)) + " " +
       pointerName(uint64_t(address)) + " dims " + list(dims, rank) +
       " strides " + list(strides, rank - 1) + " box " + list(box, rank) +
       " steps " + list(steps, rank) + " interleave " +
       number(uint64_t(interleave)) + " swizzle " + number(uint64_t(swizzle)) +
       " l2 " + number(uint64_t(l2)) + " fill " + number(uint64_t(fill)));
  return 0;
}

Result cuLaunchKernelEx(const LaunchConfig *config, void *handle,
                        void **arguments, void **) {
  const auto &function = *static_cast<FakeFunction *>(handle);
  std::string line = "launch " + function.name + " grid " +
                     number(config->grid[0]) + " block " +
                     number(config->block[0]) + " shared " +
                     number(config->shared);
  if (config->grid[1] != 1 || config->grid[2] != 1)
    return 1;
  for (uint32_t i = 0; i < config->count; ++i) {
    const LaunchAttribute &attribute = config->attributes[i];
    if (attribute.id == 4) { // cluster dimension
      if (attribute.value[1] != 1 || attribute.value[2] != 1)
        return 1;
      line += " cluster " + number(attribute.value[0]);
    } else if (attribute.id == 6) { // programmatic stream serialization
      line += " dependent " + number(attribute.value[0]);
    } else {
      return 1;
    }
  }
  line += " args";
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    size_t size = function.parameters[i].size;
    uint64_t value = 0;
    std::memcpy(&value, arguments[i], size < 8 ? size : 8);
    if (size == 128) {
      if (uint64_t(arguments[i]) % 64 != 0)
        return 1;
      line += " map" + number(value);
      continue;
    }
    std::string name = size == 8 ? pointerName(value) : "";
    char hex[20];
    std::snprintf(hex, sizeof hex, "%llx",
                  static_cast<unsigned long long>(value));
    line += " " + (name.empty() ? hex : name);
  }
  note(line);
  return 0;
}

Result cuEventCreate(void **event, unsigned) {
  *event = &encoded;
  return 0;
}
Result cuEventDestroy_v2(void *) { return 0; }
Result cuEventRecord(void *, void *) {
  note("event");
  return 0;
}
Result cuEventElapsedTime(float *milliseconds, void *, void *) {
  *milliseconds = 2.5f;
  return 0;
}
} // extern "C"
