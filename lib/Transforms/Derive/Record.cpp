//===- Record.cpp - What derivation writes down ---------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Record.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

void mlir::tang::addRecord(Operation *op, StringRef name, const Twine &text) {
  Builder b(op->getContext());
  SmallVector<Attribute> texts;
  if (auto known = op->getAttrOfType<ArrayAttr>(name))
    texts.append(known.begin(), known.end());
  Attribute added = b.getStringAttr(text);
  if (!llvm::is_contained(texts, added))
    texts.push_back(added);
  op->setAttr(name, b.getArrayAttr(texts));
}
