//===- EmitTest.cpp - What emitted source looks like ----------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "Tang/Target/C.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <dlfcn.h>

using namespace tangtest;

namespace {

const char *rowSum = R"(
gpu.module @kernels {
  gpu.func @row_sum(%x: memref<?xf32> {tang.name = "x", tang.readonly},
                    %y: memref<?xf32> {tang.name = "y"},
                    %n: index {tang.name = "n"}) kernel
      attributes {tang.block = 1 : i64, tang.comment = "reduce add over d1"} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %base = arith.muli %row, %n : index
    %sum = scf.for %i = %c0 to %n step %c1
        iter_args(%acc = %zero) -> (f32) {
      %at = arith.addi %base, %i : index
      %v = memref.load %x[%at] : memref<?xf32>
      %s = arith.addf %acc, %v : f32
      scf.yield %s : f32
    } {tang.comment = "one row", tang.name = "sum"}
    memref.store %sum, %y[%row] : memref<?xf32>
    gpu.return
  }
}
)";

TEST(Emit, CIsReadable) {
  Program program(rowSum);
  ASSERT_TRUE(program.ok()) << program.errors();
  EXPECT_EQ(program.emitC(),
            R"(// Kernels emitted by Tang: C11, to be linked with libm.
// Build with -ffp-contract=off; results depend on it.

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

// reduce add over d1
static inline void row_sum_block(const float *restrict x, float *restrict y, int64_t n, int64_t block) {
  const int64_t at = block * n;
  // one row
  float sum = 0.0f;
  for (int64_t i = 0; i < n; ++i) {
    sum += x[at + i];
  }
  y[block] = sum;
}

void row_sum(void *const *buffers, const int64_t *scalars, int64_t first, int64_t last) {
  for (int64_t block = first; block < last; ++block)
    row_sum_block(buffers[0], buffers[1], scalars[0], block);
}
)");
}

TEST(Emit, OpenCLIsReadable) {
  Program program(rowSum);
  ASSERT_TRUE(program.ok()) << program.errors();
  EXPECT_EQ(program.emitOpenCL(), R"(// Kernels emitted by Tang: OpenCL C 1.2.

#pragma OPENCL FP_CONTRACT OFF

// reduce add over d1
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void row_sum(__global const float *restrict x,
             __global float *restrict y,
             long n) {
  const long block = get_group_id(0);
  const long at = block * n;
  // one row
  float sum = 0.0f;
  for (long i = 0; i < n; ++i) {
    sum += x[at + i];
  }
  y[block] = sum;
}
)");
}

/// Loads a shared object from memory and runs row_sum.
void runRowSum(const std::string &contents) {
  llvm::SmallString<64> path;
  int fd;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("tang_so", "so", fd, path));
  {
    llvm::raw_fd_ostream os(fd, /*shouldClose=*/true);
    os << contents;
  }
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(library) << dlerror();
  auto kernel =
      reinterpret_cast<mlir::tang::CpuKernelFn>(dlsym(library, "row_sum"));
  ASSERT_TRUE(kernel);
  float x[] = {1, 2, 3, 4, 5, 6}, y[2] = {};
  void *buffers[] = {x, y};
  int64_t scalars[] = {3};
  kernel(buffers, scalars, 0, 2);
  EXPECT_EQ(y[0], 6);
  EXPECT_EQ(y[1], 15);
  dlclose(library);
  llvm::sys::fs::remove(path);
}

TEST(Emit, SharedObjects) {
  Program program(rowSum);
  ASSERT_TRUE(program.ok()) << program.errors();
  auto cpu = mlir::tang::emitCpuSharedObject(program.module());
  ASSERT_TRUE(succeeded(cpu)) << program.errors();
  runRowSum(*cpu);
  auto c = mlir::tang::compileCToSharedObject(program.module().getLoc(),
                                              program.emitC());
  ASSERT_TRUE(succeeded(c)) << program.errors();
  runRowSum(*c);
  auto object = mlir::tang::emitCpuObject(program.module());
  ASSERT_TRUE(succeeded(object));
  EXPECT_EQ(object->substr(0, 4), "\177ELF");
  auto ir = mlir::tang::emitCpuLLVMIR(program.module());
  ASSERT_TRUE(succeeded(ir));
  EXPECT_NE(ir->find("define void @row_sum(ptr"), std::string::npos);
  EXPECT_NE(ir->find("noalias readonly"), std::string::npos);
  EXPECT_EQ(ir->find(" fast "), std::string::npos);
  EXPECT_EQ(ir->find(" contract "), std::string::npos);
}

TEST(Emit, KernelsThatShareAModule) {
  // Lookup of something that is not there.
  Program program(rowSum);
  ASSERT_TRUE(program.ok());
  auto kernels = mlir::tang::CpuKernels::create(program.module());
  ASSERT_TRUE(succeeded(kernels));
  EXPECT_NE((*kernels)->lookup("row_sum"), nullptr);
  EXPECT_EQ((*kernels)->lookup("column_sum"), nullptr);
}

TEST(Emit, IsDeterministic) {
  Program a(rowSum), b(rowSum);
  EXPECT_EQ(a.emitC(), b.emitC());
  EXPECT_EQ(a.emitOpenCL(), b.emitOpenCL());
}

} // namespace
