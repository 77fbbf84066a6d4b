//===- Report.cpp - Results, comparisons and times for people and files --===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "Tang/Runtime/Files.h"
#include "Tang/Runtime/Npy.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <sys/resource.h>

using namespace tang_rt;
using llvm::StringRef;

namespace tang_run {

/// What holds when neither --rtol nor --atol is given; also in --help.
static Tolerance defaultTolerance(DType type) {
  switch (type) {
  case DType::F64:
    return {1e-9, 1e-12};
  case DType::F32:
    return {1e-5, 1e-6};
  case DType::F16:
  case DType::BF16:
    return {1e-2, 1e-3};
  case DType::F8E4M3FN:
  case DType::F8E5M2:
    return {0.125, 0.01};
  default:
    return {0, 0};
  }
}

/// One number, or one a result, into `member` of each tolerance.
static bool parseTolerances(StringRef option, StringRef text,
                            double Tolerance::*member,
                            std::vector<Tolerance> &list) {
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ',');
  if (parts.size() != 1 && parts.size() != list.size())
    return fail(option + " has " + llvm::Twine(parts.size()) + " values for " +
                llvm::Twine(list.size()) + " results");
  for (size_t i = 0; i < list.size(); ++i) {
    StringRef part = parts[parts.size() == 1 ? 0 : i].trim();
    double value;
    if (part.getAsDouble(value) || !(value >= 0))
      return fail(option + ": '" + part + "' is not a tolerance");
    list[i].*member = value;
  }
  return true;
}

bool Expectations::read(const FunctionInfo &function,
                        llvm::ArrayRef<std::string> files, StringRef rtol,
                        StringRef atol) {
  if (files.empty())
    return true;
  size_t count = function.outputs.size();
  if (files.size() != count)
    return fail("function " + function.name + " has " + llvm::Twine(count) +
                " results, but --expected-output is given " +
                llvm::Twine(files.size()) + " times");
  tolerances.assign(count, Tolerance());
  if (rtol.empty() && atol.empty())
    for (size_t i = 0; i < count; ++i)
      tolerances[i] = defaultTolerance(function.outputs[i].dtype);
  if (!rtol.empty() &&
      !parseTolerances("--rtol", rtol, &Tolerance::rtol, tolerances))
    return false;
  if (!atol.empty() &&
      !parseTolerances("--atol", atol, &Tolerance::atol, tolerances))
    return false;
  wanted.resize(count);
  for (size_t i = 0; i < count; ++i) {
    std::string error;
    if (!readNpy(files[i], function.outputs[i].dtype, wanted[i], error))
      return fail("expected output " + llvm::Twine(i) + ": " + error);
  }
  return true;
}

ExitCode Expectations::compare(const FunctionInfo &function,
                               llvm::ArrayRef<HostTensor> outputs,
                               double &maxError) const {
  ExitCode code = kGood;
  for (size_t i = 0; i < wanted.size(); ++i) {
    std::string error;
    Comparison comparison;
    if (!compareTensors(outputs[i], wanted[i], function.outputs[i].dtype,
                        tolerances[i], comparison, error)) {
      fail("result " + llvm::Twine(i) + ": " + error);
      return kBad;
    }
    maxError = std::max(maxError, comparison.maxAbsError);
    if (comparison.matches()) {
      llvm::outs() << "result " << i << ": " << comparison.report() << "\n";
      continue;
    }
    code = kDiffers;
    llvm::outs().flush();
    llvm::errs() << "result " << i << ": " << comparison.report()
                 << llvm::format("; rtol %g, atol %g\n", tolerances[i].rtol,
                                 tolerances[i].atol);
  }
  return code;
}

namespace {
struct Summary {
  double median = 0, min = 0;
  /// (greatest - least) / median.
  double spread = 0;
};
} // namespace

static Summary summarise(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  size_t half = seconds.size() / 2;
  Summary summary;
  summary.min = seconds.front();
  summary.median = seconds.size() % 2 ? seconds[half]
                                      : (seconds[half - 1] + seconds[half]) / 2;
  summary.spread = summary.median > 0
                       ? (seconds.back() - seconds.front()) / summary.median
                       : 0;
  return summary;
}

static uint64_t peakResidentBytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return uint64_t(usage.ru_maxrss) * 1024;
}

double medianOf(const Timing &timing) {
  return summarise(timing.seconds).median;
}

/// `floor 1.11 ms (matrix bf16, ...), reach 0.76 = schedule 0.87 x code 0.87`
static void printFloor(const FunctionFloor &floor, double median) {
  llvm::raw_ostream &os = llvm::outs();
  double seconds = floor.seconds(), schedule = floor.scheduleSeconds();
  os << llvm::format("  floor %.4g ms, bound by ", seconds * 1e3)
     << floor.binding() << " (peaks: " << floor.source << ")\n";
  os << llvm::format("  reach %.3g", seconds / median);
  if (schedule > 0)
    os << llvm::format(" = schedule %.3g x code %.3g", seconds / schedule,
                       schedule / median);
  os << "\n";
  if (floor.kernels.size() < 2)
    return;
  for (const KernelFloor &kernel : floor.kernels)
    os << "    " << kernel.name
       << llvm::format(": floor %.4g ms, bound by ", kernel.seconds() * 1e3)
       << kernel.terms.front().resource << "\n";
}

void printTiming(const Runner &runner, StringRef target, const Timing &timing,
                 const std::optional<FunctionFloor> &floor) {
  Summary summary = summarise(timing.seconds);
  llvm::raw_ostream &os = llvm::outs();
  os << runner.function().name << " on " << target << " ("
     << runner.deviceName() << ", " << runner.driverName() << "), "
     << timing.seconds.size() << " runs\n"
     << llvm::format("  median %.4g ms, min %.4g ms, spread %.1f %%\n",
                     summary.median * 1e3, summary.min * 1e3,
                     summary.spread * 100);
  if (summary.median > 0) {
    os << llvm::format("  %.4g GB/s of %.4g MB inputs and outputs",
                       double(timing.bytes) / summary.median * 1e-9,
                       double(timing.bytes) * 1e-6);
    if (runner.function().flops > 0)
      os << llvm::format(", %.4g GFLOP/s",
                         runner.function().flops / summary.median * 1e-9);
    os << "\n";
  }
  if (floor && summary.median > 0)
    printFloor(*floor, summary.median);
  os << llvm::format("  peak memory: %.4g MB on the device, %.4g MB of this "
                     "process\n",
                     double(timing.peakBytes) * 1e-6,
                     double(peakResidentBytes()) * 1e-6);
}

bool writeJson(const std::string &path, StringRef name, const Runner &runner,
               const std::optional<Timing> &timing,
               const std::optional<FunctionFloor> &floor,
               std::optional<double> error) {
  auto text = [](std::string value) {
    return llvm::json::Value(
        llvm::json::isUTF8(value) ? value : llvm::json::fixUTF8(value));
  };
  llvm::json::Object row{{"group", nullptr},    {"name", text(name.str())},
                         {"ours_ms", nullptr},  {"peer", nullptr},
                         {"peer_ms", nullptr},  {"ratio", nullptr},
                         {"floor_ms", nullptr}, {"reach", nullptr},
                         {"binding", nullptr},  {"error", nullptr}};
  if (error)
    row["error"] = *error;
  if (timing) {
    Summary summary = summarise(timing->seconds);
    row["ours_ms"] = summary.median * 1e3;
    row["min_ms"] = summary.min * 1e3;
    row["spread"] = summary.spread;
    row["repetitions"] = int64_t(timing->seconds.size());
    row["bytes"] = int64_t(timing->bytes);
    row["peak_bytes"] = int64_t(timing->peakBytes);
    if (summary.median > 0)
      row["gb_per_s"] = double(timing->bytes) / summary.median * 1e-9;
    if (runner.function().flops > 0 && summary.median > 0)
      row["gflop_per_s"] = runner.function().flops / summary.median * 1e-9;
  }
  if (timing && floor) {
    double median = medianOf(*timing);
    row["floor_ms"] = floor->seconds() * 1e3;
    row["binding"] = floor->binding();
    if (median > 0)
      row["reach"] = floor->seconds() / median;
    if (double schedule = floor->scheduleSeconds(); schedule > 0)
      row["schedule_ms"] = schedule * 1e3;
  }
  std::time_t now = std::time(nullptr);
  char date[16] = "";
  std::tm broken = {};
  if (gmtime_r(&now, &broken))
    std::strftime(date, sizeof date, "%Y-%m-%d", &broken);
  const char *commit = std::getenv("TANG_COMMIT");
  llvm::json::Object file{
      {"device", text(runner.deviceName())},
      {"driver", text(runner.driverName())},
      {"date", date},
      {"commit", commit ? text(commit) : llvm::json::Value(nullptr)},
      {"rows", llvm::json::Array{std::move(row)}}};
  std::string contents;
  llvm::raw_string_ostream os(contents);
  os << llvm::formatv("{0:2}", llvm::json::Value(std::move(file))) << "\n";
  std::string why;
  return replaceFile(path, {contents}, why) || fail(why);
}

} // namespace tang_run
