//===- Manifest.cpp - Reading and checking manifest.json -----------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "TensorMaps.h"

#include "Tang/Runtime/Bundle.h"

#include <algorithm>
#include <set>

namespace tang_rt {

/// Bounds that no honest program comes near.
static constexpr int64_t kMaxRank = 64;
static constexpr int64_t kMaxSlots = 1 << 22;
/// The largest cluster of any GPU (compute capability 9.0, not portable).
static constexpr int64_t kMaxCluster = 16;

const size_t *
ProgramNames::find(const std::vector<std::pair<std::string, size_t>> &names,
                   const std::string &name) {
  auto found = std::lower_bound(
      names.begin(), names.end(), name,
      [](const auto &entry, const std::string &n) { return entry.first < n; });
  return found != names.end() && found->first == name ? &found->second
                                                      : nullptr;
}

/// Sorts the names; a repeated one is an error.
static void sortNames(std::vector<std::pair<std::string, size_t>> &names,
                      const char *what) {
  std::sort(names.begin(), names.end());
  for (size_t i = 1; i < names.size(); ++i)
    if (names[i].first == names[i - 1].first)
      throw Error(std::string("manifest.json: two ") + what + " are called '" +
                  names[i].first + "'");
}

static bool isIdentifier(const std::string &name) {
  if (name.empty() || name.size() > 1000 || (name[0] >= '0' && name[0] <= '9'))
    return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
  });
}

static DType parseType(const JsonNode &node) {
  DType type;
  if (!parseDType(node.string(), type))
    node.fail("is not an element type: '" + node.string() + "'");
  return type;
}

static std::vector<int64_t> parseShape(const JsonNode &node,
                                       bool allowDynamic) {
  std::vector<int64_t> shape, known;
  for (const JsonNode &size : node.elements()) {
    if (allowDynamic && size.isNull()) {
      shape.push_back(kDynamic);
      continue;
    }
    shape.push_back(size.integer(0));
    known.push_back(shape.back());
  }
  int64_t count;
  if (int64_t(shape.size()) > kMaxRank)
    node.fail("has more than 64 dimensions");
  if (!countElements(known, count))
    node.fail("has more than 2^63 elements");
  return shape;
}

static TensorSpec parseSpec(const JsonNode &node) {
  TensorSpec spec;
  if (node.has("name"))
    spec.name = node["name"].string();
  JsonNode dtype = node["dtype"], shape = node["shape"];
  spec.dtype = parseType(dtype);
  spec.shape = parseShape(shape, /*allowDynamic=*/true);
  if (node.has("scalar"))
    spec.scalar = node["scalar"].boolean();
  if (spec.scalar && !spec.shape.empty())
    shape.fail("must be empty for a scalar");
  return spec;
}

uint32_t parseSlot(const JsonNode &node, uint32_t numSlots) {
  std::string text = node.string();
  uint64_t number = 0;
  bool good = text.size() >= 2 && text.size() <= 9 && text[0] == '%';
  for (size_t i = 1; good && i < text.size(); ++i) {
    good = text[i] >= '0' && text[i] <= '9';
    number = number * 10 + uint64_t(text[i] - '0');
  }
  if (!good)
    node.fail("must be a slot such as \"%7\"");
  if (number >= numSlots)
    node.fail("is slot " + text + ", but the function has " +
              std::to_string(numSlots));
  return uint32_t(number);
}

static HostFunction parseFunctionHead(const JsonNode &node) {
  HostFunction function;
  function.info.name = node["name"].string();
  JsonNode inputs = node["inputs"], outputs = node["outputs"],
           args = node["args"];
  for (const JsonNode &input : inputs.elements())
    function.info.inputs.push_back(parseSpec(input));
  for (const JsonNode &output : outputs.elements())
    function.info.outputs.push_back(parseSpec(output));
  if (node.has("flops") && node.get()["flops"].is_number())
    function.info.flops = node.get()["flops"].get<double>();
  function.numSlots = uint32_t(node["slots"].integer(0, kMaxSlots));
  for (const JsonNode &arg : args.elements())
    function.args.push_back(parseSlot(arg, function.numSlots));
  if (function.args.size() != function.info.inputs.size())
    args.fail("must have as many slots as there are inputs");
  return function;
}

static KernelInfo parseKernel(const JsonNode &node, const std::string &target) {
  KernelInfo kernel;
  JsonNode name = node["name"];
  kernel.name = name.string();
  if (!isIdentifier(kernel.name))
    name.fail("must be an identifier");
  if (node.has("file")) {
    JsonNode file = node["file"];
    kernel.file = file.string();
    if (!kernel.file.empty() && !isValidFileName(kernel.file))
      file.fail("is not a plain file name");
  }
  if (node.has("block")) {
    JsonNode block = node["block"];
    std::vector<JsonNode> sizes = block.elements();
    if (sizes.empty() || sizes.size() > 3)
      block.fail("must have one to three sizes");
    for (size_t i = 0; i < sizes.size(); ++i)
      kernel.block[i] = sizes[i].integer(1, 1 << 20);
  }
  if (node.has("shared_bytes"))
    kernel.sharedBytes =
        node["shared_bytes"].integer(0, std::numeric_limits<int32_t>::max());
  if (node.has("cluster"))
    kernel.cluster = node["cluster"].integer(1, kMaxCluster);
  if (node.has("dependent_launch"))
    kernel.dependentLaunch = node["dependent_launch"].boolean();
  JsonNode buffers = node["buffers"], scalars = node["scalars"];
  for (const JsonNode &buffer : buffers.elements()) {
    KernelBuffer info{buffer.has("name") ? buffer["name"].string() : "",
                      DType::F32, false};
    JsonNode dtype = buffer["dtype"];
    info.dtype = parseType(dtype);
    if (buffer.has("readonly"))
      info.readonly = buffer["readonly"].boolean();
    kernel.buffers.push_back(std::move(info));
  }
  for (const JsonNode &scalar : scalars.elements()) {
    JsonNode type = scalar["type"];
    kernel.scalars.push_back(parseType(type));
  }
  if (node.has("tensor_maps")) {
    JsonNode maps = node["tensor_maps"];
    for (const JsonNode &map : maps.elements())
      kernel.tensorMaps.push_back(parseTensorMap(map, kernel));
    // They are arguments, which other devices would leave out.
    if (!kernel.tensorMaps.empty() && deviceKind(target) != "cuda")
      maps.fail("are for target cuda only");
  }
  return kernel;
}

static ConstantInfo parseConstant(const JsonNode &node) {
  ConstantInfo constant;
  JsonNode dtype = node["dtype"], shape = node["shape"], bytes = node["bytes"];
  constant.dtype = parseType(dtype);
  constant.shape = parseShape(shape, /*allowDynamic=*/false);
  constant.offset = uint64_t(node["offset"].integer(0));
  constant.bytes = uint64_t(bytes.integer(0));
  int64_t needed;
  if (!countBytes(constant.dtype, constant.shape, needed) ||
      constant.bytes != uint64_t(needed))
    bytes.fail("must be what " + typeString(constant.dtype, constant.shape) +
               " takes");
  return constant;
}

std::string parseManifestTarget(std::string_view text) {
  json document = parseJson(text, "manifest.json");
  JsonNode root(document, "manifest.json");
  root["tang"].integer(1, 1);
  return root["target"].string();
}

Program parseManifest(std::string_view text) {
  json document = parseJson(text, "manifest.json");
  JsonNode root(document, "manifest.json");
  root["tang"].integer(1, 1);
  Program program;
  program.target = root["target"].string();
  if (root.has("numerics"))
    program.numerics = root["numerics"].string();

  ProgramNames names;
  static const json none = json::array();
  auto list = [&](const char *member) {
    return root.has(member) ? root[member] : JsonNode(none, &root, member);
  };
  JsonNode kernels = list("kernels"), constants = list("constants"),
           functions = root["functions"];
  for (const JsonNode &kernel : kernels.elements()) {
    program.kernels.push_back(parseKernel(kernel, program.target));
    names.kernels.emplace_back(program.kernels.back().name,
                               names.kernels.size());
  }
  for (const JsonNode &constant : constants.elements()) {
    program.constants.push_back(parseConstant(constant));
    names.constants.emplace_back(constant["id"].string(),
                                 names.constants.size());
  }
  std::vector<JsonNode> nodes = functions.elements();
  for (const JsonNode &function : nodes) {
    program.functions.push_back(parseFunctionHead(function));
    program.infos.push_back(program.functions.back().info);
    names.functions.emplace_back(program.functions.back().info.name,
                                 names.functions.size());
  }
  sortNames(names.kernels, "kernels");
  sortNames(names.constants, "constants");
  sortNames(names.functions, "functions");
  for (size_t i = 0; i < nodes.size(); ++i) {
    JsonNode body = nodes[i]["body"];
    parseBody(body, program, names, program.functions[i]);
  }
  return program;
}

} // namespace tang_rt
