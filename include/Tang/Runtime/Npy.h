//===- Npy.h - NumPy's .npy files ----------------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_RUNTIME_NPY_H
#define TANG_RUNTIME_NPY_H

#include "Tang/Runtime/HostTensor.h"

#include <optional>

namespace tang_rt {

/// Reads the text of a .npy file (versions 1 to 3) into `tensor`.
///
/// NumPy has no bf16, f8 or i4, so `want` says what the caller expects and
/// decides how bits are read: uint16 and '<V2' as bf16, uint8, '|V1' as f8,
/// bool and uint8 as i1 (0 or 1 only), int8, uint8 and '|V1' as i4 (a value
/// that does not fit is an error), int64 as index, unsigned integers as the
/// integer of that width. A file whose type has nothing to do with `want` is
/// read as what it is, for the caller to refuse or to compare in f64. Without
/// `want` unsigned integers are read as the integer of their width, '<V2' as
/// bf16, and '|V1' is an error. Fortran order is transposed; big-endian data
/// are swapped. False with a message if the header is corrupt, the type has no
/// counterpart, or data are missing or left over.
bool parseNpy(std::string_view text, std::optional<DType> want,
              HostTensor &tensor, std::string &error);

/// `parseNpy` of a file; messages start with the path.
bool readNpy(const std::string &path, std::optional<DType> want,
             HostTensor &tensor, std::string &error);

/// The text of a version 1 file: bf16 as uint16 bits, f8 as uint8 bits, i1 as
/// bool, i4 as int8, index as int64.
std::string formatNpyHeader(DType type, const std::vector<int64_t> &shape);

/// Writes `tensor` under a temporary name and renames it.
bool writeNpy(const std::string &path, const HostTensor &tensor,
              std::string &error);

} // namespace tang_rt

#endif // TANG_RUNTIME_NPY_H
