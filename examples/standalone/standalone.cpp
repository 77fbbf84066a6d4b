//===- standalone.cpp - A project that embeds Tang ------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds relu(x · w + b) with the C++ builders, with a number of rows that is
// known only at call time; runs a pass of its own between Tang's; prints the
// kernels as C; compiles twice, into this process and into a bundle on disk;
// and runs both through the runtime's C API.
//
//===----------------------------------------------------------------------===//

#include "Tang/Dialect/TangDialect.h"
#include "Tang/InitAll.h"
#include "Tang/Pipelines/Compile.h"
#include "Tang/Runtime/Bundle.h"
#include "Tang/Runtime/Runtime.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace {

constexpr int64_t kIn = 8, kOut = 4;

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

OwningOpRef<ModuleOp> buildLinear(MLIRContext &context) {
  Location loc = UnknownLoc::get(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  Type f32 = b.getF32Type();
  auto rows = RankedTensorType::get({ShapedType::kDynamic, kIn}, f32);
  auto weights = RankedTensorType::get({kIn, kOut}, f32);
  auto bias = RankedTensorType::get({kOut}, f32);
  auto result = RankedTensorType::get({ShapedType::kDynamic, kOut}, f32);
  auto function = func::FuncOp::create(
      b, loc, "main", b.getFunctionType({rows, weights, bias}, result));
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  Value x = entry->getArgument(0), w = entry->getArgument(1),
        bArg = entry->getArgument(2);

  // x · w: a fold with the monoid "add" over k. Its destination gives the
  // shape, `init` what the fold starts from.
  Value n = tensor::DimOp::create(b, loc, x, 0);
  Value shape = tensor::EmptyOp::create(b, loc, result, n);
  AffineExpr i, j, k;
  bindDims(&context, i, j, k);
  auto at = [&](int64_t dims, ArrayRef<AffineExpr> indices) {
    return AffineMap::get(dims, 0, indices, &context);
  };
  auto add = tang::MonoidAttr::get(&context, tang::MonoidKind::Add);
  auto product = tang::ReduceOp::create(
      b, loc, add, shape, /*over=*/OpFoldResult(b.getIndexAttr(kIn)),
      ValueRange{x, w}, ArrayRef{at(3, {i, k}), at(3, {k, j})},
      /*captures=*/ValueRange{}, /*symbols=*/ValueRange{},
      /*init=*/b.getArrayAttr(b.getF32FloatAttr(0)),
      [](OpBuilder &b, Location loc, ValueRange args) {
        Value p = arith::MulFOp::create(b, loc, args[0], args[1]);
        tang::YieldOp::create(b, loc, p);
      });

  // relu(· + b): pointwise; the bias is read at j, which broadcasts it.
  auto relu = tang::MapOp::create(
      b, loc, shape, ValueRange{product.getResult(0), bArg},
      ArrayRef{at(2, {i, j}), at(2, {j})}, /*captures=*/ValueRange{},
      /*symbols=*/ValueRange{},
      [](OpBuilder &b, Location loc, ValueRange args) {
        Value sum = arith::AddFOp::create(b, loc, args[0], args[1]);
        Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
        Value max = arith::MaximumFOp::create(b, loc, sum, zero);
        tang::YieldOp::create(b, loc, max);
      });
  func::ReturnOp::create(b, loc, relu.getResult(0));
  return module;
}

//===----------------------------------------------------------------------===//
// A pass of this project
//===----------------------------------------------------------------------===//

/// Schedules are data: this pins its own on every fold of three dimensions.
/// Tang checks it, keeps the fold as a kernel of its own, and derives the rest.
struct PinTiles : PassWrapper<PinTiles, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PinTiles)

  StringRef getArgument() const override { return "standalone-pin-tiles"; }
  StringRef getDescription() const override {
    return "Gives matrix products tiles of 2 x 4, stepping by 8";
  }
  void runOnOperation() override {
    getOperation().walk([&](tang::ReduceOp reduce) {
      if (reduce.getNumDims() == 3)
        reduce.setScheduleAttr(
            tang::ScheduleAttr::get(&getContext(), {2, 4, 8}, /*block=*/1));
    });
  }
};

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Prints and frees a message of the runtime.
int report(const char *what, char *error) {
  llvm::errs() << what << ": " << (error ? error : "failed") << "\n";
  tang_rt_free_string(error);
  return 1;
}

/// Calls `main` on five rows of small integers, for which f32 is exact, and
/// compares with plain loops.
int check(tang_rt_program *program, StringRef how) {
  constexpr int64_t n = 5;
  float x[n][kIn], w[kIn][kOut], bias[kOut];
  for (int64_t i = 0; i < n; ++i)
    for (int64_t k = 0; k < kIn; ++k)
      x[i][k] = float((3 * i + 5 * k) % 7 - 3);
  for (int64_t k = 0; k < kIn; ++k)
    for (int64_t j = 0; j < kOut; ++j)
      w[k][j] = float((k + 2 * j) % 5 - 2);
  for (int64_t j = 0; j < kOut; ++j)
    bias[j] = float(j - 1);

  const int64_t xShape[] = {n, kIn}, wShape[] = {kIn, kOut}, bShape[] = {kOut};
  const tang_rt_tensor inputs[] = {{TANG_RT_F32, 2, xShape, x},
                                   {TANG_RT_F32, 2, wShape, w},
                                   {TANG_RT_F32, 1, bShape, bias}};
  tang_rt_tensor output;
  size_t function;
  char *error = nullptr;
  if (tang_rt_find_function(program, "main", &function, &error) ||
      tang_rt_invoke(program, function, inputs, 3, &output, &error))
    return report("invoke", error);

  int wrong = output.rank != 2 || output.shape[0] != n;
  const float *got = static_cast<const float *>(output.data);
  for (int64_t i = 0; i < n && !wrong; ++i)
    for (int64_t j = 0; j < kOut; ++j) {
      float want = bias[j];
      for (int64_t k = 0; k < kIn; ++k)
        want += x[i][k] * w[k][j];
      wrong += got[i * kOut + j] != std::max(want, 0.0f);
    }
  tang_rt_free_tensor(&output);
  llvm::outs() << how << ": " << (wrong ? "WRONG" : "right") << "\n";
  return wrong;
}

/// Compiles into this process and runs.
int runInProcess(ModuleOp module) {
  tang::CompileOptions options;
  FailureOr<tang::CompiledBundle> bundle =
      tang::compileToBundle(module, options, /*jit=*/true);
  if (failed(bundle))
    return 1;
  std::vector<tang_rt_file> files;
  for (auto &[name, contents] : bundle->files)
    files.push_back({name.c_str(), contents.data(), contents.size()});
  tang_rt_resolver resolve = [](void *user, const char *name) {
    return static_cast<tang::CompiledBundle *>(user)->resolve(name);
  };
  char *error = nullptr;
  tang_rt_device *device;
  tang_rt_program *program;
  if (tang_rt_open_device("cpu", 0, &device, &error))
    return report("open device", error);
  if (tang_rt_load_files(device, files.data(), files.size(), resolve, &*bundle,
                         &program, &error))
    return report("load", error);
  int wrong = check(program, "compiled in this process");
  tang_rt_free_program(program);
  tang_rt_close_device(device);
  return wrong;
}

/// Compiles through C into a bundle on disk, which needs the runtime alone.
int runFromDisk(ModuleOp module, const std::string &path) {
  tang::CompileOptions options;
  options.target = "c";
  FailureOr<tang::CompiledBundle> bundle =
      tang::compileToBundle(module, options, /*jit=*/false);
  std::string message;
  if (failed(bundle))
    return 1;
  if (!tang_rt::writeBundle(path, bundle->files, message)) {
    llvm::errs() << message << "\n";
    return 1;
  }
  char *error = nullptr;
  tang_rt_device *device;
  tang_rt_program *program;
  if (tang_rt_open_device("c", 0, &device, &error))
    return report("open device", error);
  if (tang_rt_load(device, path.c_str(), &program, &error))
    return report("load", error);
  int wrong = check(program, "from the bundle " + path);
  tang_rt_free_program(program);
  tang_rt_close_device(device);
  return wrong;
}

} // namespace

int main(int argc, char **argv) {
  std::string path = argc > 1 ? argv[1] : "linear.tangb";
  DialectRegistry registry;
  tang::registerAllTangDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  tang::registerTangPasses();
  PassRegistration<PinTiles>();

  OwningOpRef<ModuleOp> module = buildLinear(context);
  if (failed(verify(*module)))
    return 1;
  llvm::outs() << "== the graph\n" << *module << "\n";

  // Passes of both projects in one pipeline, by name as on a command line.
  PassManager pm(&context);
  if (failed(parsePassPipeline("standalone-pin-tiles,tang-derive", pm)) ||
      failed(pm.run(*module)))
    return 1;

  tang::CompileOptions options;
  options.target = "c";
  OwningOpRef<ModuleOp> copy = module->clone();
  FailureOr<std::string> source = tang::emitSource(*copy, options);
  if (failed(source))
    return 1;
  llvm::outs() << "== its kernels in C\n" << *source << "\n== runs\n";

  copy = module->clone();
  return runInProcess(*module) | runFromDisk(*copy, path);
}
