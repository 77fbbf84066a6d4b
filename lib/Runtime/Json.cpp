//===- Json.cpp - Reading JSON that nobody vouches for -------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Json.h"

namespace tang_rt {

json parseJson(std::string_view text, const char *what) {
  try {
    return json::parse(text.begin(), text.end());
  } catch (const json::parse_error &error) {
    throw Error(std::string(what) + ": not valid JSON at byte " +
                std::to_string(error.byte));
  } catch (const json::exception &) {
    throw Error(std::string(what) + ": a number in the JSON is out of range");
  }
}

std::string JsonNode::path() const {
  if (!parent)
    return std::string(key) + ": ";
  std::string text = parent->path();
  if (!key)
    return text + "[" + std::to_string(index) + "]";
  return text + (text.ends_with(": ") ? "" : ".") + key;
}

void JsonNode::fail(const std::string &why) const {
  throw Error(path() + (parent ? " " : "") + why);
}

JsonNode JsonNode::operator[](const char *member) const & {
  if (!value->is_object())
    fail("must be an object");
  auto found = value->find(member);
  if (found == value->end())
    fail(std::string("lacks '") + member + "'");
  return JsonNode(*found, this, member);
}

bool JsonNode::has(const char *member) const {
  return value->is_object() && value->contains(member);
}

std::string JsonNode::string() const {
  if (!value->is_string())
    fail("must be a string");
  return value->get<std::string>();
}

bool JsonNode::boolean() const {
  if (!value->is_boolean())
    fail("must be true or false");
  return value->get<bool>();
}

int64_t JsonNode::integer(int64_t min, int64_t max) const {
  constexpr uint64_t top = std::numeric_limits<int64_t>::max();
  if (!value->is_number_integer() ||
      (value->is_number_unsigned() && value->get<uint64_t>() > top))
    fail("must be an integer of 64 bits");
  int64_t number = value->get<int64_t>();
  if (number < min || number > max)
    fail("is " + std::to_string(number) + ", out of range");
  return number;
}

std::vector<JsonNode> JsonNode::elements() const & {
  if (!value->is_array())
    fail("must be a list");
  std::vector<JsonNode> nodes;
  nodes.reserve(value->size());
  for (size_t i = 0; i < value->size(); ++i)
    nodes.emplace_back((*value)[i], this, nullptr, i);
  return nodes;
}

} // namespace tang_rt
