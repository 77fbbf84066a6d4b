//===- Reference.h - The f64 interpreter of the graph stage --------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The oracle of Tang's tests. It runs the graph stage operation by operation
// and shares no code with what lowers it: monoids are evaluated from their
// definitions, indirect operations from their documentation.
//
// By default floats are doubles and only conversions that the program spells
// out round (`arith.truncf`, `arith.sitofp` to bf16, …). With `exact` every
// operation rounds to its declared type, in the declared order: bf16, f16 and
// f8 are computed in f32 and rounded from there, and functions on f32 and
// narrower types are the C library's on float. Integers are always exact and
// wrap at their width, with the undefined cases defined as in docs/KernelIR.md.
//
// Example: the sum of 1000 ones in bf16 is 1000 by default and 256 under
// `exact`, since 256 + 1 rounds to 256.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_TARGET_REFERENCE_H
#define TANG_TARGET_REFERENCE_H

#include "Tang/Dialect/TangDialect.h"
#include "Tang/Runtime/HostTensor.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

#include <vector>

namespace mlir::tang {

/// Runs `function` ("" = main or the only public one) of an imported module,
/// after checking the laws of its `tang.monoid`s. Integers come back in their
/// declared type, floats as f64, or under `exact` in their declared type;
/// scalars are tensors of rank 0. Reports errors at the operation and fails. At
/// most 8 GiB (or TANG_MEMORY_LIMIT, a number with K, M or G) are live at once.
llvm::FailureOr<std::vector<tang_rt::HostTensor>>
runReference(mlir::ModuleOp module, llvm::StringRef function,
             llvm::ArrayRef<tang_rt::HostTensor> inputs, bool exact);

/// Tests the laws that a monoid declares on random data, in f64: identity,
/// associativity, commutativity, idempotence. Floats may differ by 1e-9, or by
/// the precision of the narrowest type that the body rounds to. Reports the
/// broken law with values that break it.
///
/// With an identity e the laws are on the states that folds from e reach: the
/// monoid of `max(a, |b|)` with identity 0 holds although 0 ∨ -1 is not -1.
/// That a fold may start from any state s is tested as s ∨ x = s ∨ (e ∨ x).
llvm::LogicalResult checkMonoidLaws(MonoidOp monoid, uint64_t seed);

/// The same for a built-in monoid on states of `types`; errors go to `from`.
llvm::LogicalResult checkMonoidLaws(MonoidAttr monoid, mlir::TypeRange types,
                                    mlir::Operation *from, uint64_t seed);

/// Registers `--tang-check-monoids`, which checks every `tang.monoid`.
void registerReferencePasses();

} // namespace mlir::tang

#endif // TANG_TARGET_REFERENCE_H
