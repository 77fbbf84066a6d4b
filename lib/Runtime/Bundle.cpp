//===- Bundle.cpp - Reading and writing bundles --------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Runtime/Bundle.h"

#include "Json.h"
#include "Tang/Runtime/Files.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <unistd.h>

namespace fs = std::filesystem;

namespace tang_rt {

static constexpr std::string_view kMagic = "TANGB1\n";
static constexpr size_t kPrefix = 7 + 16 + 1;

uint32_t crc32(std::string_view data) {
  static const auto table = [] {
    std::array<uint32_t, 256> t;
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t c = i;
      for (int k = 0; k < 8; ++k)
        c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
      t[i] = c;
    }
    return t;
  }();
  uint32_t crc = ~0u;
  for (unsigned char byte : data)
    crc = table[(crc ^ byte) & 0xff] ^ (crc >> 8);
  return ~crc;
}

bool isValidFileName(std::string_view name) {
  if (name.empty() || name.size() > 200 || name[0] == '.')
    return false;
  for (char c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
          (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-'))
      return false;
  return true;
}

bool isBundle(const std::string &path) {
  std::error_code code;
  if (fs::is_directory(path, code))
    return fs::exists(fs::path(path) / "manifest.json", code);
  if (!fs::is_regular_file(path, code))
    return false;
  std::ifstream in(path, std::ios::binary);
  char start[7] = {};
  in.read(start, sizeof start);
  return in.gcount() == sizeof start &&
         std::string_view(start, sizeof start) == kMagic;
}

bool packBundle(const BundleFiles &files, std::string &text,
                std::string &error) {
  nlohmann::ordered_json index;
  index["files"] = nlohmann::ordered_json::array();
  uint64_t offset = 0;
  std::set<std::string> seen;
  for (const auto &[name, contents] : files) {
    if (!isValidFileName(name) || !seen.insert(name).second) {
      error = "bad or repeated file name '" + name + "' in a bundle";
      return false;
    }
    nlohmann::ordered_json entry;
    entry["name"] = name;
    entry["offset"] = offset;
    entry["size"] = contents.size();
    entry["crc32"] = crc32(contents);
    index["files"].push_back(std::move(entry));
    offset += contents.size();
  }
  std::string indexText = index.dump();
  char length[18];
  std::snprintf(length, sizeof length, "%016zx\n", indexText.size());
  text = kMagic;
  text.reserve(kPrefix + indexText.size() + offset);
  text += length;
  text += indexText;
  for (const auto &file : files)
    text += file.second;
  return true;
}

bool unpackBundle(std::string_view text, BundleFiles &files,
                  std::string &error) {
  files.clear();
  return catchErrors(error, [&] {
    if (text.substr(0, kMagic.size()) != kMagic)
      throw Error("not a .tangb file");
    if (text.size() < kPrefix)
      throw Error("the bundle is cut short");
    uint64_t length = 0;
    for (char c : text.substr(kMagic.size(), 16)) {
      int digit = c >= '0' && c <= '9'   ? c - '0'
                  : c >= 'a' && c <= 'f' ? c - 'a' + 10
                  : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                         : -1;
      if (digit < 0)
        throw Error("the bundle's index length is corrupt");
      length = length << 4 | uint64_t(digit);
    }
    if (text[kPrefix - 1] != '\n')
      throw Error("the bundle's index length is corrupt");
    if (length > text.size() - kPrefix)
      throw Error("the bundle is cut short");
    json index = parseJson(text.substr(kPrefix, length), "bundle index");
    std::string_view body = text.substr(kPrefix + length);
    std::set<std::string> seen;
    JsonNode root(index, "bundle index"), list = root["files"];
    for (const JsonNode &entry : list.elements()) {
      std::string name = entry["name"].string();
      if (!isValidFileName(name) || !seen.insert(name).second)
        entry["name"].fail("is a bad or repeated file name");
      uint64_t offset = uint64_t(entry["offset"].integer(0));
      uint64_t size = uint64_t(entry["size"].integer(0));
      if (offset > body.size() || size > body.size() - offset)
        throw Error("the bundle is cut short: " + name + " is not all there");
      std::string_view contents = body.substr(offset, size);
      if (int64_t(crc32(contents)) != entry["crc32"].integer(0))
        throw Error("the check sum of " + name + " in the bundle is wrong");
      files.emplace_back(std::move(name), std::string(contents));
    }
  });
}

bool readBundle(const std::string &path, BundleFiles &files,
                std::string &error) {
  files.clear();
  std::error_code code;
  if (!fs::is_directory(path, code)) {
    std::string text;
    if (!readFile(path, text, error))
      return false;
    if (unpackBundle(text, files, error))
      return true;
    error = path + ": " + error;
    return false;
  }
  if (!fs::exists(fs::path(path) / "manifest.json", code)) {
    error = path + ": not a bundle: it has no manifest.json";
    return false;
  }
  return catchErrors(error, [&] {
    for (const fs::directory_entry &entry : fs::directory_iterator(path)) {
      std::string name = entry.path().filename().string();
      if (!isValidFileName(name) || !entry.is_regular_file())
        continue;
      std::string contents, why;
      if (!readFile(entry.path().string(), contents, why))
        throw Error(why);
      files.emplace_back(std::move(name), std::move(contents));
    }
  });
}

static void writeDirectory(const std::string &path, const BundleFiles &files) {
  fs::path target(path);
  // "out/" means "out".
  if (!target.has_filename())
    target = target.parent_path();
  bool exists = fs::exists(fs::symlink_status(target));
  if (exists && !isBundle(target.string()) &&
      !(fs::is_directory(target) && fs::is_empty(target)))
    throw Error(path + ": exists and is not a bundle; not replaced");
  std::string suffix = std::to_string(::getpid());
  fs::path fresh = target, old = target;
  fresh += ".tmp." + suffix;
  old += ".old." + suffix;
  fs::remove_all(fresh);
  try {
    fs::create_directories(fresh);
    std::set<std::string> seen;
    for (const auto &[name, contents] : files) {
      if (!isValidFileName(name) || !seen.insert(name).second)
        throw Error("bad or repeated file name '" + name + "' in a bundle");
      std::string why;
      if (!replaceFile((fresh / name).string(), {contents}, why))
        throw Error(why);
    }
    if (exists)
      fs::rename(target, old);
    fs::rename(fresh, target);
    if (exists)
      fs::remove_all(old);
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(fresh, ignored);
    if (exists && !fs::exists(target, ignored))
      fs::rename(old, target, ignored);
    throw;
  }
}

bool writeBundle(const std::string &path, const BundleFiles &files,
                 std::string &error) {
  return catchErrors(error, [&] {
    if (!path.ends_with(".tangb"))
      return writeDirectory(path, files);
    std::error_code code;
    if (fs::exists(path, code) && fs::is_directory(path, code))
      throw Error(path + ": is a directory; not replaced");
    if (fs::is_regular_file(path, code) && fs::file_size(path, code) != 0 &&
        !isBundle(path))
      throw Error(path + ": exists and is not a bundle; not replaced");
    std::string text, why;
    if (!packBundle(files, text, why) || !replaceFile(path, {text}, why))
      throw Error(why);
  });
}

} // namespace tang_rt
