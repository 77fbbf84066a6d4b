//===- WgslFunctions.cpp - The WGSL library of emitted kernels ------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WgslLibrary.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <map>

using namespace mlir;
using namespace mlir::tang;

/// The library by the names of its functions; the order is that of the text.
static std::map<size_t, std::pair<StringRef, StringRef>> parseLibrary() {
  std::map<size_t, std::pair<StringRef, StringRef>> functions;
  size_t number = 0;
  for (StringRef text : {wgslIntegers, wgslFloats, wgslMath}) {
    SmallVector<StringRef> parts;
    text.split(parts, "\n\n", /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    for (StringRef part : parts) {
      size_t start = part.find("fn tang_");
      assert(start != StringRef::npos && "a part is no function");
      StringRef name = part.substr(start + 3);
      functions[number++] = {name.take_front(name.find('(')), part.trim('\n')};
    }
  }
  return functions;
}

/// Names that begin with `tang_`, each once.
static void collectNames(StringRef text, SmallVectorImpl<StringRef> &names) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = text.find("tang_"); at != StringRef::npos;
       at = text.find("tang_", at + 1)) {
    StringRef name = text.substr(at).take_while(isWord);
    if (at == 0 || !isWord(text[at - 1]))
      names.push_back(name);
  }
}

std::string mlir::tang::wgslFunctionsFor(StringRef source) {
  static const auto library = parseLibrary();
  llvm::StringMap<StringRef> byName;
  for (auto &[number, function] : library)
    byName[function.first] = function.second;
  llvm::StringSet<> needed;
  SmallVector<StringRef> todo;
  collectNames(source, todo);
  while (!todo.empty()) {
    StringRef name = todo.pop_back_val();
    auto found = byName.find(name);
    if (found != byName.end() && needed.insert(name).second)
      collectNames(found->second, todo);
  }
  // Functions of one line stand together.
  std::string text;
  bool wasLine = false;
  for (auto &[number, function] : library) {
    if (!needed.contains(function.first))
      continue;
    bool isLine = !function.second.contains('\n');
    text += (wasLine && isLine ? "" : "\n") + function.second.str() + "\n";
    wasLine = isLine;
  }
  return text;
}
