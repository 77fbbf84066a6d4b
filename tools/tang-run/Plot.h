//===- Plot.h - A run and its floor as a picture ----------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_TOOLS_TANG_RUN_PLOT_H
#define TANG_TOOLS_TANG_RUN_PLOT_H

#include "Floor.h"
#include "Runner.h"

namespace tang_run {

/// Writes an SVG file of three parts: the roofline (arithmetic over memory
/// traffic) with each kernel's floor and the whole's measured point; the bytes
/// and operations of each resource; and the reach of each kernel's share. Says
/// why and returns false if no floor is known or the file cannot be written.
bool writePlot(const std::string &path, const std::string &function,
               const std::string &target, const Timing &timing,
               const std::optional<FunctionFloor> &floor);

} // namespace tang_run

#endif // TANG_TOOLS_TANG_RUN_PLOT_H
