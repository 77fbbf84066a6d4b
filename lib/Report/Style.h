//===- Style.h - How a report's page looks --------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_REPORT_STYLE_H
#define TANG_LIB_REPORT_STYLE_H

namespace mlir::tang::report {

/// CSS for light and dark screens and for paper.
extern const char *const kStyle;

} // namespace mlir::tang::report

#endif // TANG_LIB_REPORT_STYLE_H
