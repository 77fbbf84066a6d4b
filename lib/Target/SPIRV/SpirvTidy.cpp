//===- SpirvTidy.cpp - SPIRV-Cross's loops as a person writes them --------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SPIRV-Cross writes a loop whose blocks it has to keep apart as
//
//   uint i;                              for (uint i = 0u; i < n; i += 1u)
//   i = 0u;                              {
//   for (;;)                                 ...
//   {                                    }
//       if (i < n)
//       {            which becomes
//           ...
//           i += 1u;
//           continue;
//       }
//       else
//       {
//           break;
//       }
//   }
//
// Its text has one statement a line and blocks indented by four, and names are
// used for one thing in a function. What does not look exactly like this stays.
//
//===----------------------------------------------------------------------===//

#include "SpirvImpl.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using namespace mlir;

namespace {
class Tidier {
public:
  explicit Tidier(StringRef source) {
    SmallVector<StringRef> parts;
    source.split(parts, '\n');
    for (StringRef part : parts)
      lines.push_back(part.str());
  }

  std::string run() {
    for (size_t i = lines.size(); i-- > 0;)
      if (StringRef(lines[i]).ltrim().starts_with("for (") &&
          i + 1 < lines.size() && textOf(i + 1) == "{")
        tidyLoop(i);
    for (size_t i = 0; i < lines.size(); ++i)
      joinDeclaration(i);
    for (size_t i = 0; i < lines.size(); ++i)
      nameCounter(i);
    return llvm::join(lines, "\n");
  }

private:
  size_t indentOf(size_t i) const {
    return lines[i].size() - StringRef(lines[i]).ltrim(' ').size();
  }
  StringRef textOf(size_t i) const { return StringRef(lines[i]).ltrim(' '); }
  bool is(size_t i, size_t indent, StringRef text) const {
    return i < lines.size() && indentOf(i) == indent && textOf(i) == text;
  }
  /// The line of the brace that closes the block that line `open` opens.
  size_t closeOf(size_t open) const {
    size_t indent = indentOf(open), i = open + 1;
    while (i < lines.size() && !is(i, indent, "}"))
      ++i;
    return i;
  }
  void erase(size_t from, size_t to) {
    lines.erase(lines.begin() + from, lines.begin() + to);
  }

  static bool isWordChar(char c) { return llvm::isAlnum(c) || c == '_'; }
  /// Calls `found` with the place of each whole word `name` in `text`.
  template <typename F>
  static void eachMention(StringRef text, StringRef name, F found) {
    for (size_t at = text.find(name); at != StringRef::npos;
         at = text.find(name, at + 1)) {
      size_t end = at + name.size();
      if ((at == 0 || (!isWordChar(text[at - 1]) && text[at - 1] != '.')) &&
          (end == text.size() || !isWordChar(text[end])))
        found(at);
    }
  }
  bool mentions(size_t i, StringRef name) const {
    bool result = false;
    eachMention(lines[i], name, [&](size_t) { result = true; });
    return result;
  }
  /// The lines of the function around line `i`.
  std::pair<size_t, size_t> functionAround(size_t i) const {
    size_t first = i, last = i;
    while (first > 0 && !is(first, 0, "{"))
      --first;
    while (last + 1 < lines.size() && !is(last, 0, "}"))
      ++last;
    return {first, last};
  }
  bool isMentionedOutside(size_t first, size_t last, StringRef name,
                          size_t except) const {
    auto [from, to] = functionAround(first);
    for (size_t i = from; i <= to; ++i)
      if ((i < first || i > last) && i != except && mentions(i, name))
        return true;
    return false;
  }
  /// The line before `i` that declares `name` without a value, and its type.
  std::optional<size_t> declarationOf(size_t i, StringRef name,
                                      std::string &type) const {
    llvm::Regex pattern("^([A-Za-z0-9_]+) " + name.str() + ";$");
    for (size_t first = functionAround(i).first; i-- > first;) {
      SmallVector<StringRef> groups;
      if (pattern.match(textOf(i), &groups)) {
        type = groups[1].str();
        return i;
      }
    }
    return std::nullopt;
  }

  void tidyLoop(size_t i) {
    size_t indent = indentOf(i), end = closeOf(i + 1);
    if (end >= lines.size())
      return;
    std::string pad(indent, ' '), condition, init;
    SmallVector<StringRef> groups;
    if (textOf(i) == "for (;;)") {
      size_t inner = indent + 4;
      StringRef test = textOf(i + 2);
      if (indentOf(i + 2) != inner || !test.consume_front("if (") ||
          !test.consume_back(")") || !is(i + 3, inner, "{"))
        return;
      size_t close = closeOf(i + 3);
      if (!is(close - 1, inner + 4, "continue;") ||
          !is(close + 1, inner, "else") || !is(close + 2, inner, "{") ||
          !is(close + 3, inner + 4, "break;") || !is(close + 4, inner, "}") ||
          close + 5 != end)
        return;
      condition = test.str();
      erase(close - 1, end);
      erase(i + 2, i + 4);
      end = close - 3;
      for (size_t j = i + 2; j < end; ++j)
        if (StringRef(lines[j]).starts_with("    "))
          lines[j].erase(0, 4);
    } else if (llvm::Regex("^for \\((.*); (.*); \\)$")
                   .match(textOf(i), &groups)) {
      init = groups[1].str();
      condition = groups[2].str();
      if (is(end - 1, indent + 4, "continue;"))
        erase(end - 1, end), --end;
    } else {
      return;
    }
    lines[i] = pad + "for (" + init + "; " + condition + "; )";

    // The step.
    llvm::Regex step("^([A-Za-z0-9_]+) \\+= [^;]*;$");
    bool skips = false;
    for (size_t j = i + 2; j < end; ++j)
      skips |= textOf(j) == "continue;";
    if (skips || end == i + 2 || indentOf(end - 1) != indent + 4 ||
        !step.match(textOf(end - 1), &groups))
      return;
    std::string counter = groups[1].str();
    std::string increment = textOf(end - 1).drop_back().str();
    bool counts = false;
    eachMention(condition, counter, [&](size_t) { counts = true; });
    if (!counts)
      return;
    erase(end - 1, end);
    --end;
    lines[i] = pad + "for (" + init + "; " + condition + "; " + increment + ")";
    if (!init.empty())
      return;

    // The start, which declarations may stand after.
    llvm::Regex declaration("^[A-Za-z0-9_]+ [A-Za-z0-9_]+(\\[[0-9]+\\])*;$");
    size_t start = i - 1;
    while (start > 0 && declaration.match(textOf(start)))
      --start;
    StringRef first = textOf(start);
    if (indentOf(start) != indent || !first.consume_back(";"))
      return;
    if (llvm::Regex("^[A-Za-z0-9_]+ " + counter + " = ").match(first)) {
      if (isMentionedOutside(i, end, counter, start))
        return;
      init = first.str();
      erase(start, start + 1);
      lines[i - 1] =
          pad + "for (" + init + "; " + condition + "; " + increment + ")";
      return;
    }
    if (!first.consume_front(counter + " = "))
      return;
    init = counter + " = " + first.str();
    erase(start, start + 1);
    --i;
    --end;
    std::string type;
    if (auto declared = declarationOf(i, counter, type))
      if (!isMentionedOutside(i, end, counter, *declared)) {
        erase(*declared, *declared + 1);
        --i;
        init = type + " " + init;
      }
    lines[i] = pad + "for (" + init + "; " + condition + "; " + increment + ")";
  }

  /// Moves the declaration in line `i` to the first assignment, if that stands
  /// in the block of all uses.
  void joinDeclaration(size_t &i) {
    SmallVector<StringRef> groups;
    if (!llvm::Regex("^([A-Za-z0-9_]+) (_[0-9]+);$")
             .match(textOf(i), &groups) ||
        groups[1] == "return")
      return;
    std::string type = groups[1].str(), name = groups[2].str();
    size_t last = functionAround(i).second, first = i + 1;
    while (first <= last && !mentions(first, name))
      ++first;
    if (first > last || !textOf(first).starts_with(name + " = "))
      return;
    size_t count = 0;
    eachMention(lines[first], name, [&](size_t) { ++count; });
    size_t end = first;
    while (end <= last &&
           (lines[end].empty() || indentOf(end) >= indentOf(first)))
      ++end;
    if (count != 1 || isMentionedOutside(first, end - 1, name, i))
      return;
    lines[first].insert(indentOf(first), type + " ");
    erase(i, i + 1);
    --i;
  }

  /// Calls a loop's counter i, j, k, … by its depth.
  void nameCounter(size_t i) {
    SmallVector<StringRef> groups;
    if (!llvm::Regex("^for \\([A-Za-z0-9_]+ (_[0-9]+) = ")
             .match(textOf(i), &groups))
      return;
    std::string name = groups[1].str();
    size_t end = closeOf(i + 1);
    auto [from, to] = functionAround(i);
    for (char letter : StringRef("ijklmnpqrstuvw")) {
      StringRef fresh(&letter, 1);
      // Also not one of the file's buffers, which any line may name.
      bool taken = false;
      for (size_t j = 0; j < lines.size() && !taken; ++j)
        if (j < from || (j >= i && j <= end))
          eachMention(lines[j], fresh, [&](size_t) { taken = true; });
      for (size_t j = from; j < i && !taken; ++j)
        if (textOf(j).starts_with("for (") && closeOf(j + 1) > i)
          eachMention(lines[j], fresh, [&](size_t) { taken = true; });
      if (taken)
        continue;
      for (size_t j = i; j <= end; ++j) {
        SmallVector<size_t> places;
        eachMention(lines[j], name, [&](size_t at) { places.push_back(at); });
        for (size_t at : llvm::reverse(places))
          lines[j].replace(at, name.size(), fresh.str());
      }
      return;
    }
  }

  std::vector<std::string> lines;
};
} // namespace

std::string mlir::tang::tidyLoops(StringRef source) {
  return Tidier(source).run();
}
