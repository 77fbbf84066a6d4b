//===- Json.h - Reading JSON that nobody vouches for ---------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_RUNTIME_JSON_H
#define TANG_LIB_RUNTIME_JSON_H

#include "Error.h"

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

namespace tang_rt {

using nlohmann::json;

/// Parses `text`; errors give the byte at which it went wrong.
json parseJson(std::string_view text, const char *what);

/// A place in a JSON document that knows its path, for messages such as
/// `manifest.json: functions[0].body[3].dst: expected a string`. The parent
/// must outlive its children; the path is only put together on errors.
class JsonNode {
public:
  JsonNode(const json &value, const char *root) : value(&value), key(root) {}
  JsonNode(const json &value, const JsonNode *parent, const char *key,
           size_t index = 0)
      : value(&value), parent(parent), key(key), index(index) {}

  [[noreturn]] void fail(const std::string &why) const;

  /// A member that must be there.
  JsonNode operator[](const char *member) const &;
  JsonNode operator[](const char *member) && = delete;
  bool has(const char *member) const;

  std::string string() const;
  bool boolean() const;
  /// An integer of at least `min` and at most `max`.
  int64_t integer(int64_t min = std::numeric_limits<int64_t>::min(),
                  int64_t max = std::numeric_limits<int64_t>::max()) const;
  /// An array's elements.
  std::vector<JsonNode> elements() const &;
  std::vector<JsonNode> elements() && = delete;

  const json &get() const { return *value; }
  bool isNull() const { return value->is_null(); }

private:
  std::string path() const;

  const json *value;
  const JsonNode *parent = nullptr;
  /// Null for an element of an array.
  const char *key = nullptr;
  size_t index = 0;
};

} // namespace tang_rt

#endif // TANG_LIB_RUNTIME_JSON_H
