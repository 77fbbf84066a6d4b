//===- TangOps.td - All operations, one file a stage ---------------*- tablegen -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_OPS_TD
#define TANG_OPS_TD

include "Tang/Dialect/TangGraphOps.td"
include "Tang/Dialect/TangTileOps.td"

#endif // TANG_OPS_TD
