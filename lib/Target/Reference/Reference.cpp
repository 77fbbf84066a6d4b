//===- Reference.cpp - The f64 interpreter of the graph stage
//--------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Target/Reference.h"

#include "Executor.h"
#include "Monoids.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::reference;
using tang_rt::HostTensor;

/// The function called `name`; for an empty name `main` or the only public one.
static FailureOr<func::FuncOp> findFunction(ModuleOp module, StringRef name) {
  auto functions = module.getOps<func::FuncOp>();
  func::FuncOp only;
  bool isOnly = true;
  for (func::FuncOp function : functions) {
    StringRef wanted = name.empty() ? "main" : name;
    if (function.getName() == wanted)
      return function;
    if (function.isPublic() && !function.isExternal()) {
      isOnly &= !only;
      only = function;
    }
  }
  if (name.empty() && only && isOnly)
    return only;
  auto diagnostic = module.emitError("reference interpreter: ");
  if (name.empty())
    diagnostic << "no function is named 'main'";
  else
    diagnostic << "no function is named '" << name << "'";
  diagnostic << "; there are: ";
  llvm::interleaveComma(functions, diagnostic, [&](func::FuncOp function) {
    diagnostic << "'" << function.getName() << "'";
  });
  return diagnostic;
}

/// Converts one input, which must fit the type of the argument.
static FailureOr<HostValue> convertInput(func::FuncOp function, unsigned i,
                                         const HostTensor &input,
                                         TensorFactory &factory) {
  Type type = function.getArgumentTypes()[i];
  auto tensorType = dyn_cast<RankedTensorType>(type);
  std::optional<ElemType> elem =
      ElemType::get(tensorType ? tensorType.getElementType() : type);
  if (!elem)
    return function.emitError("reference interpreter: argument #")
           << i << " of type " << type << " is not supported";
  auto declared = tensorType ? tensorType.getShape() : ArrayRef<int64_t>();
  bool fits = elem->isFloat ? tang_rt::isFloat(input.dtype)
                            : elem->dtype() == input.dtype;
  fits &= declared.size() == input.shape.size();
  if (fits)
    for (auto [want, got] : llvm::zip(declared, input.shape))
      fits &= got >= 0 && (ShapedType::isDynamic(want) || want == got);
  if (!fits)
    return function.emitError("reference interpreter: argument #")
           << i << " of type " << type << " is given a "
           << tang_rt::typeString(input.dtype, input.shape);
  FailureOr<Tensor> tensor = factory.fromHost(function, *elem, input);
  if (failed(tensor))
    return failure();
  return tensorType ? HostValue(*tensor) : HostValue(tensor->get(0));
}

FailureOr<std::vector<HostTensor>>
tang::runReference(ModuleOp module, StringRef name, ArrayRef<HostTensor> inputs,
                   bool exact) {
  FailureOr<func::FuncOp> function = findFunction(module, name);
  if (failed(function))
    return failure();
  constexpr uint64_t kSeed = 1;
  if (failed(checkAllMonoidLaws(module, kSeed)))
    return failure();
  if (inputs.size() != function->getNumArguments())
    return function->emitError("reference interpreter: '")
           << function->getName() << "' takes " << function->getNumArguments()
           << " arguments, got " << inputs.size();
  Executor executor(exact);
  TensorFactory &factory = executor.getFactory();
  SmallVector<HostValue> arguments;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    FailureOr<HostValue> value = convertInput(*function, i, input, factory);
    if (failed(value))
      return failure();
    arguments.push_back(std::move(*value));
  }
  FailureOr<SmallVector<HostValue>> values =
      executor.call(*function, std::move(arguments), *function);
  if (failed(values))
    return failure();
  std::vector<HostTensor> results;
  for (auto [value, type] : llvm::zip(*values, function->getResultTypes())) {
    FailureOr<HostTensor> host = failure();
    if (value.tensor) {
      if (failed(factory.materialize(*function, *value.tensor)))
        return failure();
      host = factory.toHost(*function, *value.tensor);
      value.tensor.reset();
    } else {
      FailureOr<ElemType> elem = elemType(*function, type);
      if (failed(elem))
        return failure();
      host = factory.toHost(*function, *elem, value.cell);
    }
    if (failed(host))
      return failure();
    results.push_back(std::move(*host));
  }
  return results;
}
