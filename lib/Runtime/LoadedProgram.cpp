//===- LoadedProgram.cpp - A program on a device, ready to be called -----===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoadedProgram.h"

#include "Tang/Runtime/Bundle.h"
#include "Tang/Runtime/Files.h"

#include <filesystem>

namespace tang_rt {

std::vector<SlotValue> LoadedProgram::run(size_t function,
                                          const std::vector<SlotValue> &inputs,
                                          double *seconds) {
  Machine machine{program,    *context->device, context->heap,
                  code.get(), constants,        stepLimit};
  if (seconds)
    context->device->startTimer();
  std::vector<SlotValue> results = runHostProgram(machine, function, inputs);
  if (seconds)
    *seconds = context->device->stopTimer();
  else
    context->device->sync();
  return results;
}

/// Puts the constants on the device from the contents of constants.bin.
static void uploadConstants(LoadedProgram &loaded, std::string_view data) {
  for (const ConstantInfo &constant : loaded.program.constants) {
    if (constant.offset > data.size() ||
        constant.bytes > data.size() - constant.offset)
      throw Error("constants.bin has " + std::to_string(data.size()) +
                  " bytes, but a constant lies at " +
                  std::to_string(constant.offset) + " with " +
                  std::to_string(constant.bytes));
    std::shared_ptr<Buffer> buffer = loaded.context->heap.alloc(constant.bytes);
    if (constant.bytes)
      loaded.context->device->upload(
          buffer->get(), 0, data.data() + constant.offset, constant.bytes);
    buffer->readonly = true;
    loaded.constants.push_back(std::move(buffer));
  }
}

/// Parses the manifest and loads all it refers to. `constants` gives the
/// contents of constants.bin.
static std::unique_ptr<LoadedProgram>
loadProgram(const std::shared_ptr<Context> &context, const CodeSource &source,
            const std::function<std::string_view()> &constants) {
  auto loaded = std::make_unique<LoadedProgram>();
  loaded->context = context;
  std::string manifest(source.read("manifest.json"));
  loaded->program = parseManifest(manifest);
  loaded->program.manifest = std::move(manifest);
  const std::string &target = loaded->program.target;
  if (deviceKind(target) != context->kind)
    throw Error("the bundle is for target '" + target +
                "', which does not run on " + context->name);
  if (!loaded->program.constants.empty())
    uploadConstants(*loaded, constants());
  loaded->code = context->device->load(loaded->program.kernels, source);
  return loaded;
}

std::unique_ptr<LoadedProgram>
loadFromFiles(const std::shared_ptr<Context> &context, const FileViews &files,
              std::function<void *(const char *)> resolve) {
  auto find = [&](const std::string &name) {
    for (const auto &file : files)
      if (file.first == name)
        return file.second;
    throw Error("the bundle has no " + name);
  };
  CodeSource source;
  source.read = [&](const std::string &name) {
    return std::string(find(name));
  };
  source.resolve = std::move(resolve);
  return loadProgram(context, source, [&] { return find("constants.bin"); });
}

static bool isDirectory(const std::string &path) {
  std::error_code code;
  return std::filesystem::is_directory(path, code);
}

static void checkDirectory(const std::string &path) {
  if (!isBundle(path))
    throw Error(path + ": not a bundle: it has no manifest.json");
}

static std::unique_ptr<LoadedProgram>
loadFromDirectory(const std::shared_ptr<Context> &context,
                  const std::string &path) {
  checkDirectory(path);
  CodeSource source;
  source.path = [&](const std::string &name) {
    return (std::filesystem::path(path) / name).string();
  };
  source.read = [&](const std::string &name) {
    std::string contents, why;
    if (!readFile(source.path(name), contents, why))
      throw Error(why);
    return contents;
  };
  std::string constants;
  return loadProgram(context, source, [&]() -> std::string_view {
    constants = source.read("constants.bin");
    return constants;
  });
}

static BundleFiles readFiles(const std::string &path) {
  BundleFiles files;
  std::string why;
  if (!readBundle(path, files, why))
    throw Error(why);
  return files;
}

std::unique_ptr<LoadedProgram>
loadBundle(const std::shared_ptr<Context> &context, const std::string &path) {
  if (isDirectory(path))
    return loadFromDirectory(context, path);
  BundleFiles files = readFiles(path);
  return loadFromFiles(context, FileViews(files.begin(), files.end()), nullptr);
}

std::string readManifest(const std::string &path) {
  std::string manifest, why;
  if (!isDirectory(path)) {
    for (auto &file : readFiles(path))
      if (file.first == "manifest.json")
        return std::move(file.second);
    throw Error(path + ": the bundle has no manifest.json");
  }
  checkDirectory(path);
  std::filesystem::path file = std::filesystem::path(path) / "manifest.json";
  if (!readFile(file.string(), manifest, why))
    throw Error(why);
  return manifest;
}

} // namespace tang_rt
