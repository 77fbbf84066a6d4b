//===- NpyTest.cpp - Reading and writing .npy files ----------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Runtime/Npy.h"
#include "Tang/Runtime/Files.h"
#include "TestUtils.h"

using namespace tang_rt;
using namespace tang_rt::test;

namespace {
std::string npy(const std::string &dict, const std::string &data,
                int version = 1) {
  std::string text = "\x93NUMPY";
  text += char(version);
  text += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    text += char(dict.size() >> (8 * i) & 0xff);
  return text + dict + data;
}

std::string header(const std::string &descr, const std::string &shape,
                   const char *fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran +
         ", 'shape': " + shape + ", }          \n";
}

HostTensor parse(const std::string &text, std::optional<DType> want = {}) {
  HostTensor tensor;
  std::string error;
  EXPECT_TRUE(parseNpy(text, want, tensor, error)) << error;
  return tensor;
}

std::string parseError(const std::string &text,
                       std::optional<DType> want = {}) {
  HostTensor tensor;
  std::string error;
  EXPECT_FALSE(parseNpy(text, want, tensor, error));
  EXPECT_FALSE(error.empty());
  return error;
}

TEST(Npy, EveryTypeSurvivesARoundTrip) {
  TempDir dir;
  for (int i = 0; i < kNumDTypes; ++i) {
    DType type = DType(i);
    HostTensor tensor = makeTensor<int64_t>(type, {2, 3}, {0, 1, 1, 0, 1, 1});
    if (type != DType::I1)
      tensor.setInt(3, -5);
    std::string error, path = dir / "x.npy";
    ASSERT_TRUE(writeNpy(path, tensor, error)) << error;
    HostTensor again;
    ASSERT_TRUE(readNpy(path, type, again, error)) << error;
    EXPECT_EQ(again.dtype, type);
    EXPECT_EQ(again.shape, tensor.shape);
    EXPECT_EQ(
        std::memcmp(again.data.data(), tensor.data.data(), tensor.data.size()),
        0);
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path), {}), 1)
      << "a temporary file was left";
}

TEST(Npy, HeadersAreAlignedAsNumPyHasThem) {
  for (std::vector<int64_t> shape :
       {std::vector<int64_t>{}, {5}, {1, 2, 3}, {1000000000000, 7}}) {
    std::string text = formatNpyHeader(DType::F32, shape);
    EXPECT_EQ(text.size() % 64, 0u);
    EXPECT_EQ(text.back(), '\n');
  }
  EXPECT_NE(formatNpyHeader(DType::F32, {5}).find("'shape': (5,), }"),
            std::string::npos);
}

TEST(Npy, Versions) {
  for (int version : {1, 2, 3})
    EXPECT_EQ(
        parse(npy(header("<i4", "(1,)"), std::string("\5\0\0\0", 4), version))
            .getInt(0),
        5);
  EXPECT_NE(parseError(npy(header("<i4", "(1,)"), "1234", 4)).find("version"),
            std::string::npos);
}

TEST(Npy, RankZeroAndEmpty) {
  EXPECT_EQ(parse(npy(header("<i2", "()"), std::string("\3\0", 2))).getInt(0),
            3);
  HostTensor empty = parse(npy(header("<f8", "(0, 5)"), ""));
  EXPECT_EQ(empty.shape, (std::vector<int64_t>{0, 5}));
}

TEST(Npy, FortranOrderIsTransposed) {
  HostTensor tensor =
      parse(npy(header("|i1", "(2, 3)", "True"), "\1\2\3\4\5\6"));
  EXPECT_EQ(toDoubles(tensor), (std::vector<double>{1, 3, 5, 2, 4, 6}));
  HostTensor rank3 = parse(npy(header("|i1", "(2, 1, 2)", "True"), "\1\2\3\4"));
  EXPECT_EQ(toDoubles(rank3), (std::vector<double>{1, 3, 2, 4}));
}

TEST(Npy, BigEndianIsSwapped) {
  HostTensor tensor = parse(
      npy(header(">i4", "(2,)"), std::string("\0\0\1\0\xff\xff\xff\xfe", 8)));
  EXPECT_EQ(toDoubles(tensor), (std::vector<double>{256, -2}));
  EXPECT_EQ(
      parse(npy(header(">f2", "(1,)"), std::string("\x3c\0", 2))).getDouble(0),
      1.0);
}

TEST(Npy, BitsOfTypesThatNumPyLacks) {
  std::string bits("\x80\x3f", 2);
  for (const char *descr : {"<u2", "<V2", "|V2"}) {
    HostTensor tensor = parse(npy(header(descr, "(1,)"), bits), DType::BF16);
    EXPECT_EQ(tensor.dtype, DType::BF16);
    EXPECT_EQ(tensor.getDouble(0), 1.0);
  }
  EXPECT_EQ(parse(npy(header("<u2", "(1,)"), bits)).dtype, DType::I16);
  for (const char *descr : {"|u1", "|V1"}) {
    EXPECT_EQ(
        parse(npy(header(descr, "(1,)"), "\x7e"), DType::F8E4M3FN).getDouble(0),
        448.0);
    EXPECT_EQ(
        parse(npy(header(descr, "(2,)"), "\x0f\x07"), DType::I4).getInt(0), -1);
  }
  EXPECT_EQ(parse(npy(header("|i1", "(1,)"), "\xf8"), DType::I4).getInt(0), -8);
  EXPECT_NE(parseError(npy(header("|i1", "(1,)"), "\x0f"), DType::I4)
                .find("element 0 is 15"),
            std::string::npos);
  parseError(npy(header("|V1", "(1,)"), "\x07"));
}

TEST(Npy, Booleans) {
  std::string data("\0\1", 2);
  for (const char *descr : {"|b1", "|u1"}) {
    HostTensor tensor = parse(npy(header(descr, "(2,)"), data), DType::I1);
    EXPECT_EQ(tensor.dtype, DType::I1);
    EXPECT_EQ(toDoubles(tensor), (std::vector<double>{0, 1}));
  }
  EXPECT_NE(parseError(npy(header("|u1", "(1,)"), "\2"), DType::I1)
                .find("element 0 is 2"),
            std::string::npos);
}

TEST(Npy, IndexAndUnsigned) {
  std::string data(8, '\xff');
  EXPECT_EQ(parse(npy(header("<i8", "(1,)"), data), DType::Index).dtype,
            DType::Index);
  EXPECT_EQ(parse(npy(header("<u4", "(2,)"), data)).getInt(0), -1);
}

TEST(Npy, CorruptFilesAreErrors) {
  std::string good = npy(header("<i4", "(2,)"), "12345678");
  parse(good);
  for (size_t length = 0; length < good.size(); ++length)
    parseError(good.substr(0, length));
  EXPECT_NE(parseError(good + "x").find("2xi32 takes 8 bytes"),
            std::string::npos);
  for (const char *dict :
       {"", "{", "{}", "[]", "{'descr': '<i4'}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (2}",
        "{'descr': '<i4', 'fortran_order': Maybe, 'shape': (2,)}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (-2,)}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (x,)}",
        "{'descr': '<i4', 'descr': '<i4', 'fortran_order': False, 'shape': ()}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': "
        "(99999999999999999999,)}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': "
        "(4294967296, 4294967296)}",
        "{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f16', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (2,)}"})
    parseError(npy(dict, "12345678"));
  HostTensor tensor;
  std::string error;
  EXPECT_FALSE(readNpy("/no/such/file.npy", {}, tensor, error));
  EXPECT_NE(error.find("/no/such/file.npy: No such file"), std::string::npos);
  EXPECT_FALSE(readNpy("/tmp", {}, tensor, error));
}
} // namespace
