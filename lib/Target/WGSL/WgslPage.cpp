//===- WgslPage.cpp - A bundle that runs in a browser ---------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Target/WGSL.h"

#include "llvm/Support/Base64.h"

using namespace mlir;
using namespace mlir::tang;

namespace mlir::tang {
/// Page.html, and WebGpuCore.js with Page.js.
extern const char *const wgslPageHtml;
extern const char *const wgslPageScript[];
} // namespace mlir::tang

static std::string escapeHtml(StringRef text) {
  std::string result;
  for (char c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '&')
      result += "&amp;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c;
  }
  return result;
}

/// Text within a `script` element, which `</` would end; both JSON and the page
/// read `<\/` as the same.
static std::string escapeScript(StringRef text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    if (text[i] == '<' && i + 1 < text.size() &&
        (text[i + 1] == '/' || text[i + 1] == '!'))
      result += '\\';
  }
  return result;
}

std::string mlir::tang::makeWebGpuPage(
    StringRef title, StringRef numerics,
    ArrayRef<std::pair<std::string, std::string>> files) {
  auto contents = [&](StringRef name) -> StringRef {
    for (const auto &[file, text] : files)
      if (file == name)
        return text;
    return "";
  };
  std::string script = wgslPageScript[0];
  script += wgslPageScript[1];
  const std::pair<StringRef, std::string> values[] = {
      {"TITLE", escapeHtml(title)},
      {"NUMERICS", escapeHtml(numerics)},
      {"MANIFEST", escapeScript(contents("manifest.json"))},
      {"SOURCE", escapeScript(contents("kernels.wgsl"))},
      {"CONSTANTS", llvm::encodeBase64(contents("constants.bin"))},
      {"SCRIPT", script},
  };
  // One pass: what is put in is not looked at again.
  StringRef rest = wgslPageHtml;
  std::string page;
  while (!rest.empty()) {
    size_t at = rest.find('$');
    page += rest.take_front(at);
    if (at == StringRef::npos)
      break;
    rest = rest.drop_front(at + 1);
    StringRef name = rest.take_until([](char c) { return c == '$'; });
    for (const auto &[key, value] : values)
      if (key == name)
        page += value;
    rest = rest.drop_front(name.size() + 1);
  }
  return page;
}
