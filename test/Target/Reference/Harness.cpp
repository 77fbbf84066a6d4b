//===- Harness.cpp - Small modules through the reference interpreter ------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

using namespace tang_test;

mlir::MLIRContext &tang_test::context() {
  static mlir::MLIRContext context = [] {
    mlir::DialectRegistry registry;
    registry.insert<mlir::affine::AffineDialect, mlir::arith::ArithDialect,
                    mlir::cf::ControlFlowDialect, mlir::func::FuncDialect,
                    mlir::math::MathDialect, mlir::scf::SCFDialect,
                    mlir::tang::TangDialect, mlir::tensor::TensorDialect,
                    mlir::ub::UBDialect>();
    return mlir::MLIRContext(registry);
  }();
  return context;
}

static HostTensor make(DType type, std::vector<int64_t> shape) {
  HostTensor tensor;
  std::string error;
  EXPECT_TRUE(HostTensor::create(type, std::move(shape), tensor, error))
      << error;
  return tensor;
}

HostTensor tang_test::reals(DType type, std::vector<int64_t> shape,
                            const Reals &values) {
  HostTensor tensor = make(type, std::move(shape));
  for (size_t i = 0; i < values.size(); ++i)
    tensor.setDouble(i, values[i]);
  return tensor;
}

HostTensor tang_test::ints(DType type, std::vector<int64_t> shape,
                           const Ints &values) {
  HostTensor tensor = make(type, std::move(shape));
  for (size_t i = 0; i < values.size(); ++i)
    tensor.setInt(i, values[i]);
  return tensor;
}

Reals Outcome::reals(size_t i) const {
  Reals values;
  if (i >= results.size()) {
    ADD_FAILURE() << "no result: " << message;
    return values;
  }
  for (int64_t k = 0; k < results[i].numElements(); ++k)
    values.push_back(results[i].getDouble(k));
  return values;
}

Ints Outcome::ints(size_t i) const {
  Ints values;
  if (i >= results.size()) {
    ADD_FAILURE() << "no result: " << message;
    return values;
  }
  for (int64_t k = 0; k < results[i].numElements(); ++k)
    values.push_back(results[i].getInt(k));
  return values;
}

mlir::OwningOpRef<mlir::ModuleOp> tang_test::parse(const std::string &module,
                                                   std::string &message) {
  mlir::ScopedDiagnosticHandler handler(&context(),
                                        [&](mlir::Diagnostic &diagnostic) {
                                          message += diagnostic.str() + "\n";
                                        });
  return mlir::parseSourceString<mlir::ModuleOp>(module, &context());
}

Outcome tang_test::run(const std::string &module,
                       const std::vector<HostTensor> &inputs, bool exact) {
  Outcome outcome;
  mlir::OwningOpRef<mlir::ModuleOp> parsed = parse(module, outcome.message);
  if (!parsed) {
    ADD_FAILURE() << "does not parse: " << outcome.message << module;
    return outcome;
  }
  mlir::ScopedDiagnosticHandler handler(
      &context(), [&](mlir::Diagnostic &diagnostic) {
        outcome.message += diagnostic.str() + "\n";
      });
  auto results = mlir::tang::runReference(*parsed, "", inputs, exact);
  outcome.good = succeeded(results);
  if (outcome.good)
    outcome.results = std::move(*results);
  EXPECT_EQ(outcome.good, outcome.message.empty()) << outcome.message;
  return outcome;
}

DType tang_test::parseType(const std::string &type) {
  DType dtype = DType::F32;
  EXPECT_TRUE(tang_rt::parseDType(type, dtype)) << type;
  return dtype;
}

Outcome tang_test::apply(const std::string &op, const std::string &type,
                         const std::string &result,
                         const std::vector<HostTensor> &inputs, bool exact) {
  std::string size = std::to_string(inputs[0].shape[0]) + "x";
  std::string args, ins, types, params;
  const char *names[] = {"a", "b", "c"};
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string comma = i ? ", " : "", name = names[i];
    std::string tensor =
        "tensor<" + size + tang_rt::dtypeName(inputs[i].dtype) + ">";
    args += comma + "%in_" + name + ": " + tensor;
    ins += comma + "%in_" + name + "[i]";
    types += comma + tensor;
    params += comma + "%" + name + ": " + tang_rt::dtypeName(inputs[i].dtype);
  }
  std::string out = "tensor<" + size + result + ">";
  std::string attr = op.find(" : ") == std::string::npos ? " : " + type : "";
  return run("func.func @main(" + args + ") -> " + out +
                 " {\n  %e = tensor.empty() : " + out +
                 "\n  %y = tang.map [i] ins(" + ins + " : " + types +
                 ") outs(%e : " + out + ") (" + params + ") {\n    %r = " + op +
                 attr + "\n    tang.yield %r : " + result +
                 "\n  }\n  return %y : " + out + "\n}\n",
             inputs, exact);
}

Outcome tang_test::fold(const std::string &monoid, const std::string &type,
                        const std::string &init, const HostTensor &input,
                        bool exact) {
  std::string n = std::to_string(input.shape[0]);
  std::string tensor = "tensor<" + n + "x" + type + ">";
  return run("func.func @main(%x: " + tensor + ") -> tensor<" + type +
                 "> {\n"
                 "  %e = arith.constant dense<" +
                 init + "> : tensor<" + type +
                 ">\n"
                 "  %r = tang.reduce #tang.monoid<" +
                 monoid + "> [] over [k = " + n + "] ins(%x[k] : " + tensor +
                 ") outs(%e : tensor<" + type + ">) (%a: " + type +
                 ") {\n    tang.yield %a : " + type +
                 "\n  }\n  return %r : tensor<" + type + ">\n}\n",
             {input}, exact);
}

void tang_test::expectSame(const Reals &got, const Reals &want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(want[i])) {
      EXPECT_TRUE(std::isnan(got[i])) << "at " << i << ": " << got[i];
      continue;
    }
    EXPECT_EQ(got[i], want[i]) << "at " << i;
    EXPECT_EQ(std::signbit(got[i]), std::signbit(want[i])) << "at " << i;
  }
}
