//===- Inputs.h - The values of --input ----------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_TOOLS_TANG_RUN_INPUTS_H
#define TANG_TOOLS_TANG_RUN_INPUTS_H

#include "Common.h"

#include "llvm/ADT/ArrayRef.h"

namespace tang_run {

/// Makes the inputs of a call from the texts of --input: `@x.npy`,
/// `4x8xf32=1.5`, `2x2xf32=1 2 3 4`, `random:SEED` or `8x16xf32=random:SEED`.
/// Each is checked against the signature; prints an error and returns false.
bool makeInputs(const tang_rt::FunctionInfo &function,
                llvm::ArrayRef<std::string> texts,
                std::vector<tang_rt::HostTensor> &inputs);

} // namespace tang_run

#endif // TANG_TOOLS_TANG_RUN_INPUTS_H
