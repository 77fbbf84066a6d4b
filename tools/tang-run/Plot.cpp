//===- Plot.cpp - A run and its floor as a picture ------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plot.h"

#include "Common.h"
#include "Report.h"
#include "Tang/Runtime/Files.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

using llvm::format;
using llvm::StringRef;

namespace tang_run {
namespace {

constexpr double kWidth = 920, kLeft = 64, kTop = 70, kRoofWidth = 400,
                 kRoofHeight = 300, kBarsLeft = 560, kBarsWidth = 240,
                 kBarHeight = 22;

const char *const kStyle = R"css(
svg { background: #fff; font: 12px system-ui, sans-serif; }
text { fill: #1c1e21; } .soft { fill: #5b616a; } .title { font-weight: 600; font-size: 15px; }
.head { font-weight: 600; } .end { text-anchor: end; } .middle { text-anchor: middle; }
.grid { stroke: #e3e6ea; } .axis { stroke: #5b616a; }
.roof { stroke: #5b616a; stroke-width: 2; fill: none; } .bound { stroke: #b35900; stroke-width: 2; }
.floor { fill: #fff; stroke: #1a5fb4; stroke-width: 2; } .ours { fill: #c01c28; }
.resource { fill: #9dbfe6; } .binding { fill: #1a5fb4; } .schedule { fill: #e5a50a; } .measured { fill: #c01c28; }
)css";

std::string escape(StringRef text) {
  std::string out;
  for (char c : text)
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  return out;
}

/// `1.25 ms`, `402.7 MB`.
std::string scaled(double value, std::initializer_list<const char *> units) {
  const char *const *unit = units.begin();
  while (unit + 1 != units.end() && value >= 999.5) {
    value /= 1000;
    ++unit;
  }
  std::string text;
  llvm::raw_string_ostream(text) << format("%.3g ", value) << *unit;
  return text;
}
std::string timeText(double seconds) {
  return scaled(seconds * 1e9, {"ns", "us", "ms", "s"});
}
std::string amountText(StringRef resource, double amount) {
  if (resource == "memory" || resource == "cache")
    return scaled(amount, {"B", "kB", "MB", "GB", "TB"});
  return scaled(amount, {"op", "kop", "Mop", "Gop", "Top"});
}

bool isArithmetic(StringRef resource) {
  return resource.starts_with("arithmetic") || resource.starts_with("matrix");
}

double flopsOf(const KernelFloor &kernel) {
  double flops = 0;
  for (const FloorTerm &term : kernel.terms)
    if (isArithmetic(term.resource))
      flops += term.amount;
  return flops;
}
double bytesOf(const KernelFloor &kernel) {
  for (const FloorTerm &term : kernel.terms)
    if (term.resource == "memory")
      return term.amount;
  return 0;
}

class Plot {
public:
  Plot(const FunctionFloor &floor, double measured)
      : floor(floor), measured(measured), os(text) {}

  std::string make(StringRef function, StringRef target, size_t runs);

private:
  void line(StringRef style, double x1, double y1, double x2, double y2) {
    os << "<line class=\"" << style
       << format("\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", x1,
                 y1, x2, y2);
  }
  void label(StringRef style, double x, double y, StringRef what) {
    os << "<text class=\"" << style << format("\" x=\"%.1f\" y=\"%.1f\">", x, y)
       << escape(what) << "</text>\n";
  }
  void roofline();
  void bars();
  double kernelRows(double y);

  const FunctionFloor &floor;
  double measured;
  std::string text;
  llvm::raw_string_ostream os;
};

} // namespace

/// Flops a second over flops a byte, both by powers of ten.
void Plot::roofline() {
  label("head", kLeft, kTop - 14, "Roofline");
  double bytes = 0, flops = 0, memory = 0;
  std::map<std::string, double> roofs;
  for (const KernelFloor &kernel : floor.kernels) {
    bytes += bytesOf(kernel), flops += flopsOf(kernel);
    for (const FloorTerm &term : kernel.terms) {
      if (term.resource == "memory")
        memory = term.peak;
      if (isArithmetic(term.resource) && term.peak > 0)
        roofs[term.resource] = term.peak;
    }
  }
  if (!(flops > 0 && bytes > 0 && memory > 0) || roofs.empty()) {
    label("soft", kLeft, kTop + 20, "No arithmetic of which a peak is known.");
    return;
  }
  double highest = 0;
  for (auto &[name, peak] : roofs)
    highest = std::max(highest, peak);
  double intensity = flops / bytes;
  double xLow =
             std::floor(std::log10(std::min(intensity, highest / memory)) - 1),
         xHigh =
             std::ceil(std::log10(std::max(intensity, highest / memory)) + 1);
  double lowest = std::min(memory * std::pow(10, xLow), flops / measured);
  for (const KernelFloor &kernel : floor.kernels)
    if (double own = flopsOf(kernel); own > 0 && kernel.seconds() > 0) {
      xLow = std::min(xLow, std::floor(std::log10(own / bytesOf(kernel))));
      lowest = std::min(lowest, own / kernel.seconds());
    }
  double yLow = std::floor(std::log10(lowest)),
         yHigh = std::ceil(std::log10(highest) + 0.2);
  auto x = [&](double value) {
    return kLeft + (std::log10(value) - xLow) / (xHigh - xLow) * kRoofWidth;
  };
  auto y = [&](double value) {
    double at = (std::log10(value) - yLow) / (yHigh - yLow);
    return kTop + (1 - std::clamp(at, 0., 1.)) * kRoofHeight;
  };
  for (double power = xLow; power <= xHigh; ++power) {
    double at = x(std::pow(10, power));
    line("grid", at, kTop, at, kTop + kRoofHeight);
    std::string tick;
    llvm::raw_string_ostream(tick) << format("%g", std::pow(10, power));
    label("soft middle", at, kTop + kRoofHeight + 16, tick);
  }
  for (double power = yLow; power <= yHigh; ++power) {
    double at = y(std::pow(10, power));
    line("grid", kLeft, at, kLeft + kRoofWidth, at);
    label("soft end", kLeft - 6, at + 4,
          scaled(std::pow(10, power) * 1e-9, {"G", "T", "P"}));
  }
  label("soft middle", kLeft + kRoofWidth / 2, kTop + kRoofHeight + 34,
        "flop a byte of memory");
  label("soft", kLeft - 56, kTop - 14, "flop/s");
  double ridge = highest / memory, start = std::pow(10, xLow);
  line("roof", x(std::max(start, std::pow(10, yLow) / memory)),
       y(std::max(start * memory, std::pow(10, yLow))), x(ridge), y(highest));
  double middle = std::sqrt(start * ridge);
  label("soft", x(middle) + 10, y(middle * memory) + 14,
        "memory " + scaled(memory * 1e-9, {"GB/s", "TB/s"}));
  for (auto &[name, peak] : roofs) {
    line("roof", x(peak / memory), y(peak), kLeft + kRoofWidth, y(peak));
    label("soft end", kLeft + kRoofWidth, y(peak) - 6,
          name + " " + scaled(peak * 1e-9, {"Gflop/s", "Tflop/s", "Pflop/s"}));
  }
  for (const KernelFloor &kernel : floor.kernels) {
    double own = flopsOf(kernel), moved = bytesOf(kernel);
    if (own > 0 && moved > 0 && kernel.seconds() > 0)
      os << format("<circle class=\"floor\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\">",
                   x(own / moved), y(own / kernel.seconds()))
         << "<title>" << escape(kernel.name) << ": floor "
         << timeText(kernel.seconds()) << "</title></circle>\n";
  }
  os << format("<circle class=\"ours\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\">",
               x(intensity), y(flops / measured))
     << "<title>measured " << timeText(measured) << "</title></circle>\n";
  double legend = kTop + kRoofHeight + 52;
  os << format("<circle class=\"floor\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/>",
               kLeft + 6, legend - 4)
     << format("<circle class=\"ours\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/>\n",
               kLeft + 206, legend - 4);
  label("soft", kLeft + 18, legend, "floor of a kernel");
  label("soft", kLeft + 218, legend, "measured, the whole");
}

/// How long each resource is busy at least, beside what was measured.
void Plot::bars() {
  label("head", kBarsLeft, kTop - 14, "Time");
  std::map<std::string, double> times;
  for (const KernelFloor &kernel : floor.kernels)
    for (const FloorTerm &term : kernel.terms)
      times[term.resource] += term.seconds();
  std::vector<std::tuple<std::string, double, std::string>> rows = {
      {"measured", measured, "measured"}};
  if (double schedule = floor.scheduleSeconds(); schedule > 0)
    rows.push_back({"this schedule at best", schedule, "schedule"});
  std::vector<std::pair<double, std::string>> sorted;
  for (auto &[resource, seconds] : times)
    if (seconds > 0)
      sorted.push_back({seconds, resource});
  std::sort(sorted.rbegin(), sorted.rend());
  std::string binding = floor.binding();
  for (auto &[seconds, resource] : sorted)
    rows.push_back(
        {resource, seconds, resource == binding ? "binding" : "resource"});
  double longest = 0, y = kTop;
  for (auto &[name, seconds, style] : rows)
    longest = std::max(longest, seconds);
  for (auto &[name, seconds, style] : rows) {
    label("", kBarsLeft, y + 11, name);
    os << "<rect class=\"" << style
       << format("\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"8\"/>\n",
                 kBarsLeft, y + 15,
                 std::max(1., seconds / longest * kBarsWidth));
    label("soft", kBarsLeft + kBarsWidth + 8, y + 23, timeText(seconds));
    y += kBarHeight + 12;
  }
  label("soft", kBarsLeft, y + 12, "Peaks: " + floor.source + ".");
}

/// A line for each kernel: what binds it, and how much of each resource it
/// needs.
double Plot::kernelRows(double y) {
  label("head", kLeft, y, "Kernels");
  y += 20;
  size_t shown = 0;
  for (const KernelFloor &kernel : floor.kernels) {
    if (shown++ == 24) {
      label("soft", kLeft, y,
            "and " + std::to_string(floor.kernels.size() - 24) + " more");
      return y + 18;
    }
    std::string needs;
    for (const FloorTerm &term : kernel.terms)
      needs += (needs.empty() ? "" : ", ") + term.resource + " " +
               amountText(term.resource, term.amount);
    label("", kLeft, y, kernel.name);
    label("", kLeft + 180, y,
          "floor " + timeText(kernel.seconds()) +
              (kernel.exponent.empty() ? "" : ", exponent " + kernel.exponent));
    label("soft", kLeft + 360, y, needs);
    y += 18;
  }
  return y;
}

std::string Plot::make(StringRef function, StringRef target, size_t runs) {
  label("title", kLeft, 26, (function + " on " + target).str());
  std::string summary;
  llvm::raw_string_ostream(summary)
      << "median " << timeText(measured) << " of " << runs << " runs, floor "
      << timeText(floor.seconds()) << ", "
      << format("reach %.2f", floor.seconds() / measured) << ", bound by "
      << floor.binding();
  label("soft", kLeft, 44, summary);
  roofline();
  bars();
  double height = kernelRows(kTop + kRoofHeight + 92) + 10;
  std::string page;
  llvm::raw_string_ostream(page)
      << "<svg xmlns=\"http://www.w3.org/2000/svg\" "
      << format("width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n",
                kWidth, height, kWidth, height)
      << "<style>" << kStyle
      << "</style>\n<rect width=\"100%\" height=\"100%\" "
      << "fill=\"#fff\"/>\n"
      << text << "</svg>\n";
  return page;
}

bool writePlot(const std::string &path, const std::string &function,
               const std::string &target, const Timing &timing,
               const std::optional<FunctionFloor> &floor) {
  if (!floor)
    return fail("--plot: no floor of " + function + " on " + target +
                " is known: sizes are dynamic, kernels run in a loop, or no "
                "peak of the target is published");
  double median = medianOf(timing);
  if (!(median > 0))
    return fail("--plot: the runs took no time");
  std::string why;
  std::string picture =
      Plot(*floor, median).make(function, target, timing.seconds.size());
  return tang_rt::replaceFile(path, {picture}, why) || fail(why);
}

} // namespace tang_run
