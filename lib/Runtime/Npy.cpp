//===- Npy.cpp - NumPy's .npy files --------------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Runtime/Npy.h"

#include "Tang/Runtime/Files.h"

#include <algorithm>

namespace tang_rt {

namespace {

/// NumPy's description of an array.
struct Header {
  bool bigEndian = false;
  char kind = 0; // f, i, u, b or V
  unsigned bytes = 0;
  bool fortran = false;
  std::vector<int64_t> shape;
  std::string descr;
};

/// Reads the header's Python dictionary. Only what NumPy writes: string keys,
/// a string, a Boolean and a tuple of integers.
class HeaderParser {
public:
  HeaderParser(std::string_view text, std::string &error)
      : text(text), error(error) {}

  bool parse(Header &header) {
    bool haveDescr = false, haveOrder = false, haveShape = false;
    if (!take('{'))
      return fail("the header is not a dictionary");
    while (!take('}')) {
      std::string key;
      if (!string(key) || !take(':'))
        return fail("the header's dictionary is corrupt");
      bool good;
      if (key == "descr")
        good = !haveDescr && (haveDescr = true) && descr(header);
      else if (key == "fortran_order")
        good = !haveOrder && (haveOrder = true) && boolean(header.fortran);
      else if (key == "shape")
        good = !haveShape && (haveShape = true) && tuple(header.shape);
      else
        return fail("the header has the unknown key '" + printable(key) + "'");
      if (!good)
        return fail("the header's '" + key + "' is corrupt");
      if (!take(',') && peek() != '}')
        return fail("the header's dictionary is corrupt");
    }
    if (!haveDescr || !haveOrder || !haveShape)
      return fail("the header lacks descr, fortran_order or shape");
    return true;
  }

private:
  bool fail(std::string message) {
    if (error.empty())
      error = std::move(message);
    return false;
  }
  static std::string printable(std::string text) {
    for (char &c : text)
      if (c < ' ' || c > '~')
        c = '?';
    return text.substr(0, 40);
  }
  void blanks() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n'))
      ++at;
  }
  char peek() {
    blanks();
    return at < text.size() ? text[at] : 0;
  }
  bool take(char c) {
    if (peek() != c)
      return false;
    ++at;
    return true;
  }
  bool word(std::string_view expected) {
    blanks();
    if (text.substr(at, expected.size()) != expected)
      return false;
    at += expected.size();
    return true;
  }
  bool string(std::string &value) {
    char quote = peek();
    if (quote != '\'' && quote != '"')
      return false;
    size_t end = text.find(quote, at + 1);
    if (end == std::string_view::npos)
      return false;
    value = text.substr(at + 1, end - at - 1);
    at = end + 1;
    return true;
  }
  bool boolean(bool &value) {
    value = word("True");
    return value || word("False");
  }
  bool tuple(std::vector<int64_t> &shape) {
    if (!take('('))
      return false;
    while (!take(')')) {
      int64_t size = 0;
      if (peek() == '-')
        return fail("the header's shape has a negative size");
      if (peek() < '0' || peek() > '9')
        return false;
      for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
        if (__builtin_mul_overflow(size, int64_t(10), &size) ||
            __builtin_add_overflow(size, int64_t(text[at] - '0'), &size))
          return fail("a size in the header exceeds 63 bits");
      if (at < text.size() && text[at] == 'L') // Python 2
        ++at;
      shape.push_back(size);
      if (shape.size() > 64)
        return fail("the header's shape has more than 64 dimensions");
      if (!take(',') && peek() != ')')
        return false;
    }
    return true;
  }
  bool descr(Header &header) {
    if (peek() == '[')
      return fail("structured types are not supported");
    if (!string(header.descr))
      return false;
    std::string_view d = header.descr;
    if (d.size() < 3 || std::string_view("<>|=").find(d[0]) == d.npos)
      return fail("the type '" + printable(header.descr) +
                  "' is not supported");
    header.bigEndian = d[0] == '>';
    header.kind = d[1];
    unsigned bytes = 0;
    for (char c : d.substr(2)) {
      if (c < '0' || c > '9' || bytes > 16)
        return fail("the type '" + printable(header.descr) +
                    "' is not supported");
      bytes = bytes * 10 + unsigned(c - '0');
    }
    header.bytes = bytes;
    bool known =
        (header.kind == 'f' && (bytes == 2 || bytes == 4 || bytes == 8)) ||
        ((header.kind == 'i' || header.kind == 'u') &&
         (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8)) ||
        (header.kind == 'b' && bytes == 1) ||
        (header.kind == 'V' && (bytes == 1 || bytes == 2));
    return known || fail("the type '" + printable(header.descr) +
                         "' has no counterpart in Tang");
  }

  std::string_view text;
  std::string &error;
  size_t at = 0;
};

/// The element type that data described by `h` are read as.
bool chooseType(const Header &h, std::optional<DType> want, DType &type,
                std::string &error) {
  auto wants = [&](DType t) { return want && *want == t; };
  bool integer = h.kind == 'i' || h.kind == 'u';
  if (h.kind == 'f') {
    type = h.bytes == 8 ? DType::F64 : h.bytes == 4 ? DType::F32 : DType::F16;
    return true;
  }
  if (h.kind == 'b') {
    type = DType::I1;
    return true;
  }
  if (h.bytes == 2 &&
      (h.kind == 'V' || (h.kind == 'u' && wants(DType::BF16)))) {
    type = DType::BF16;
    return true;
  }
  if (h.bytes == 1 && (h.kind == 'u' || h.kind == 'V')) {
    for (DType t : {DType::F8E4M3FN, DType::F8E5M2, DType::I4})
      if (wants(t)) {
        type = t;
        return true;
      }
    if (h.kind == 'V') {
      error = "the type '" + h.descr + "' may be any of one byte; expected " +
              (want ? dtypeName(*want) : "a type that NumPy has");
      return false;
    }
    if (wants(DType::I1)) {
      type = DType::I1;
      return true;
    }
  }
  if (integer && h.bytes == 1 && wants(DType::I4)) {
    type = DType::I4;
    return true;
  }
  if (h.bytes == 8 && wants(DType::Index)) {
    type = DType::Index;
    return true;
  }
  type = h.bytes == 8   ? DType::I64
         : h.bytes == 4 ? DType::I32
         : h.bytes == 2 ? DType::I16
                        : DType::I8;
  return true;
}

/// Checks and normalises types of which not every byte is a value.
bool normalise(const Header &h, HostTensor &tensor, std::string &error) {
  if (tensor.dtype != DType::I1 && tensor.dtype != DType::I4)
    return true;
  auto *bytes = tensor.as<int8_t>();
  int64_t count = tensor.numElements();
  for (int64_t i = 0; i < count; ++i) {
    int value = bytes[i];
    bool fits;
    if (tensor.dtype == DType::I1)
      fits = value == 0 || value == 1;
    else // int8 is signed; a byte without a sign may be in either form.
      fits = value >= -8 && value <= (h.kind == 'i' ? 7 : 15);
    if (!fits) {
      error = "element " + std::to_string(i) + " is " + std::to_string(value) +
              ", not a value of " + dtypeName(tensor.dtype);
      return false;
    }
    bytes[i] = int8_t(wrapInteger(tensor.dtype, value));
  }
  return true;
}

/// Copies from Fortran order (first dimension fastest) to C order.
void transpose(const char *from, std::byte *to, unsigned bytes,
               const std::vector<int64_t> &shape, int64_t count) {
  size_t rank = shape.size();
  std::vector<int64_t> stride(rank), index(rank);
  int64_t step = 1;
  for (size_t i = 0; i < rank; ++i) {
    stride[i] = step;
    step *= shape[i];
  }
  int64_t source = 0;
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(to + i * bytes, from + source * bytes, bytes);
    for (size_t d = rank; d-- > 0;) {
      source += stride[d];
      if (++index[d] < shape[d])
        break;
      source -= stride[d] * shape[d];
      index[d] = 0;
    }
  }
}

void swapBytes(std::byte *data, unsigned bytes, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    std::reverse(data + i * bytes, data + (i + 1) * bytes);
}

} // namespace

bool parseNpy(std::string_view text, std::optional<DType> want,
              HostTensor &tensor, std::string &error) {
  error.clear();
  auto fail = [&](const char *message) {
    error = message;
    return false;
  };
  if (text.substr(0, 6) != "\x93NUMPY")
    return fail("not a .npy file");
  if (text.size() < 10)
    return fail("the header is cut short");
  unsigned major = uint8_t(text[6]);
  if (major < 1 || major > 3)
    return fail("the .npy version is not 1, 2 or 3");
  size_t lengthBytes = major == 1 ? 2 : 4;
  if (text.size() < 8 + lengthBytes)
    return fail("the header is cut short");
  size_t length = 0;
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= size_t(uint8_t(text[8 + i])) << (8 * i);
  if (text.size() - 8 - lengthBytes < length)
    return fail("the header is cut short");

  Header header;
  if (!HeaderParser(text.substr(8 + lengthBytes, length), error).parse(header))
    return false;
  DType type;
  if (!chooseType(header, want, type, error))
    return false;
  std::string_view data = text.substr(8 + lengthBytes + length);
  int64_t count, bytes;
  if (!countElements(header.shape, count) ||
      !countBytes(type, header.shape, bytes))
    return fail("the size in the header exceeds 63 bits");
  if (uint64_t(bytes) != data.size()) {
    error = typeString(type, header.shape) + " takes " + std::to_string(bytes) +
            " bytes, but there are " + std::to_string(data.size()) +
            " after the header";
    return false;
  }
  if (!tensor.data.allocate(size_t(bytes))) {
    error = "cannot allocate " + std::to_string(bytes) + " bytes";
    return false;
  }
  tensor.dtype = type;
  tensor.shape = header.shape;
  if (header.fortran && header.shape.size() > 1)
    transpose(data.data(), tensor.data.data(), header.bytes, header.shape,
              count);
  else if (bytes)
    std::memcpy(tensor.data.data(), data.data(), size_t(bytes));
  if (header.bigEndian && header.bytes > 1)
    swapBytes(tensor.data.data(), header.bytes, count);
  return normalise(header, tensor, error);
}

bool readNpy(const std::string &path, std::optional<DType> want,
             HostTensor &tensor, std::string &error) {
  std::string text;
  if (!readFile(path, text, error))
    return false;
  if (parseNpy(text, want, tensor, error))
    return true;
  error = path + ": " + error;
  return false;
}

std::string formatNpyHeader(DType type, const std::vector<int64_t> &shape) {
  const char *descr = "<f4";
  switch (type) {
  case DType::F64:
    descr = "<f8";
    break;
  case DType::F32:
    descr = "<f4";
    break;
  case DType::F16:
    descr = "<f2";
    break;
  case DType::BF16:
    descr = "<u2";
    break;
  case DType::F8E4M3FN:
  case DType::F8E5M2:
    descr = "|u1";
    break;
  case DType::I64:
  case DType::Index:
    descr = "<i8";
    break;
  case DType::I32:
    descr = "<i4";
    break;
  case DType::I16:
    descr = "<i2";
    break;
  case DType::I8:
  case DType::I4:
    descr = "|i1";
    break;
  case DType::I1:
    descr = "|b1";
    break;
  }
  std::string dict = std::string("{'descr': '") + descr +
                     "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < shape.size(); ++i)
    dict += std::to_string(shape[i]) + (i + 1 < shape.size() ? ", "
                                        : shape.size() == 1  ? ","
                                                             : "");
  dict += "), }";
  // The data start at a multiple of 64, as NumPy has it.
  while ((10 + dict.size() + 1) % 64)
    dict += ' ';
  dict += '\n';
  std::string text("\x93NUMPY\x01\x00", 8);
  text += char(dict.size() & 0xff);
  text += char(dict.size() >> 8);
  return text + dict;
}

bool writeNpy(const std::string &path, const HostTensor &tensor,
              std::string &error) {
  std::string header = formatNpyHeader(tensor.dtype, tensor.shape);
  return replaceFile(path,
                     {header, std::string_view(reinterpret_cast<const char *>(
                                                   tensor.data.data()),
                                               tensor.data.size())},
                     error);
}

} // namespace tang_rt
