//===- Report.cpp - Derivation as a page for a person ---------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Report/Report.h"

#include "Graph.h"
#include "Style.h"
#include "Tang/Analysis/Explain.h"
#include "Tang/Analysis/Floor/Floor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::tang;
using report::escape;

namespace {

struct FunctionFacts {
  FunctionOpInterface function;
  std::vector<KernelFacts> kernels;
};

/// What a module's kernels, or operations, move and compute in all.
struct Totals {
  int64_t kernels = 0;
  Count read = 0, written = 0, unstored = 0, flops = 0;
  bool inLoop = false;

  void add(const Traffic &traffic) {
    ++kernels;
    read += traffic.bytesRead;
    written += traffic.bytesWritten;
    unstored += traffic.bytesUnstored;
    flops += traffic.flops;
  }
};

class Page {
public:
  Page(ModuleOp graph, ModuleOp derived, const ReportOptions &options)
      : graph(graph), derived(derived), options(options), state(derived),
        os(text) {}

  std::string make();

private:
  void collect();
  void header();
  void pictures();
  void kernelTable();
  void kernel(const KernelFacts &facts);
  void floor(const KernelFacts &facts);
  void missed();
  void ir();

  ModuleOp graph, derived;
  const ReportOptions &options;
  AsmState state;
  std::vector<FunctionFacts> functions;
  Totals totals;
  std::string text;
  llvm::raw_string_ostream os;
};

/// `model.mlir:12:7`, the first place in a source file; empty if there is none.
std::string placeOf(Operation *op) {
  std::string place;
  op->getLoc()->walk([&](Location location) {
    auto file = dyn_cast<FileLineColRange>(location);
    if (!file)
      return WalkResult::advance();
    place = (llvm::sys::path::filename(file.getFilename().getValue()) + ":" +
             Twine(file.getStartLine()) + ":" + Twine(file.getStartColumn()))
                .str();
    return WalkResult::interrupt();
  });
  return place;
}

/// What a module moves if each operation runs by itself.
Totals totalsAsWritten(ModuleOp module) {
  Totals totals;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto kernel = dyn_cast<KernelOp>(op))
      totals.add(Traffic::get(kernel));
    else if (auto structured = dyn_cast<StructuredOp>(op))
      totals.add(Traffic::get(structured));
    else if (isa<GatherOp, SortOp, TopKOp, GroupByOp>(op))
      totals.add(Traffic::getOther(op));
    else
      return WalkResult::advance();
    return WalkResult::skip();
  });
  return totals;
}

std::string code(StringRef text) {
  return text.empty() ? "" : "<code>" + escape(text) + "</code>";
}

} // namespace

void Page::collect() {
  derived.walk<WalkOrder::PreOrder>([&](FunctionOpInterface function) {
    FunctionFacts facts{function, explainKernels(function, state)};
    for (const KernelFacts &kernel : facts.kernels) {
      totals.add(kernel.traffic);
      totals.inLoop |= kernel.inLoop;
    }
    functions.push_back(std::move(facts));
  });
}

void Page::header() {
  os << "<header><h1>" << escape(options.title) << "</h1>\n"
     << "<p class=\"soft\">Derivation report by Tang. Target "
     << code(options.target) << ", numerics " << code(options.numerics)
     << ".</p>\n<dl class=\"totals\">";
  auto total = [&](StringRef name, const Twine &value) {
    os << "<div><dt>" << name << "</dt><dd>" << escape(value.str())
       << "</dd></div>";
  };
  total("Kernels", Twine(totals.kernels));
  total("Read", formatBytes(totals.read));
  total("Written", formatBytes(totals.written));
  total("Work", formatFlops(totals.flops));
  Count moved = totals.read + totals.written;
  if (auto bytes = moved.get(), flops = totals.flops.get();
      bytes && flops && *bytes) {
    std::string ratio;
    llvm::raw_string_ostream(ratio)
        << llvm::format("%.1f", static_cast<double>(*flops) / *bytes);
    total("Flops a byte", ratio);
  }
  total("Never stored, in kernels", formatBytes(totals.unstored));
  if (graph) {
    Totals before = totalsAsWritten(graph);
    total("Moved before derivation", formatBytes(before.read + before.written) +
                                         ", in " +
                                         plural(before.kernels, "operation"));
    total("Moved after", formatBytes(moved));
  }
  os << "</dl>\n<p class=\"soft\">Traffic is compulsory: each input once, each "
        "result once."
     << (totals.inLoop ? " What runs in a loop is counted once." : "")
     << "</p></header>\n";
}

void Page::pictures() {
  os << "<h2 id=\"graph\">Graph</h2>\n<p class=\"key\"><span class=\"map\">map"
        "</span><span class=\"fold\">fold or scan</span><span class=\"kernel\">"
        "kernel</span><span>other</span></p>\n"
        "<details open><summary>Before derivation</summary>\n";
  if (graph) {
    AsmState before(graph);
    graph.walk<WalkOrder::PreOrder>([&](FunctionOpInterface function) {
      report::drawFunction(function, before, {}, os);
    });
  } else {
    os << "<p>Not known: the module was given after derivation.</p>\n";
  }
  os << "</details>\n<details open><summary>After derivation</summary>\n";
  for (const FunctionFacts &facts : functions)
    report::drawFunction(facts.function, state, facts.kernels, os);
  os << "</details>\n";
}

void Page::kernelTable() {
  os << "<h2 id=\"kernels\">Kernels</h2>\n";
  if (totals.kernels == 0) {
    os << "<p>None.</p>\n";
    return;
  }
  os << "<div class=\"scroll\"><table><thead><tr><th>kernel</th><th>what</th>"
        "<th>passes</th><th>folds</th><th>reads</th><th>writes</th>"
        "<th>work</th><th>never stored</th></tr></thead><tbody>\n";
  for (const FunctionFacts &function : functions)
    for (const KernelFacts &kernel : function.kernels) {
      SmallVector<std::string> folds;
      for (const OperationFacts &op : kernel.ops)
        if (isa<ReduceOp>(op.op))
          folds.push_back(op.what);
      os << R"(<tr><td class="code"><a href="#)" << escape(kernel.name) << "\">"
         << escape(kernel.name) << "</a></td><td>" << escape(kernel.summary())
         << "</td><td class=\"number\">"
         << (isa<KernelOp>(kernel.op) && kernel.noPlan.empty()
                 ? std::to_string(kernel.passes.size())
                 : "")
         << "</td><td class=\"code\">" << escape(llvm::join(folds, "; "))
         << "</td><td class=\"number\">"
         << escape(formatBytes(kernel.traffic.bytesRead))
         << "</td><td class=\"number\">"
         << escape(formatBytes(kernel.traffic.bytesWritten))
         << "</td><td class=\"number\">"
         << escape(formatFlops(kernel.traffic.flops))
         << "</td><td class=\"number\">"
         << (kernel.traffic.unstored.empty()
                 ? ""
                 : escape(formatBytes(kernel.traffic.bytesUnstored)))
         << "</td></tr>\n";
    }
  os << "</tbody></table></div>\n";
  for (const FunctionFacts &function : functions)
    for (const KernelFacts &facts : function.kernels)
      kernel(facts);
}

/// One kernel in full.
void Page::kernel(const KernelFacts &facts) {
  os << "<section id=\"" << escape(facts.name) << "\"><h3>" << code(facts.name)
     << "</h3>\n<p>" << escape(facts.summary());
  if (std::string place = placeOf(facts.op); !place.empty())
    os << " <span class=\"soft\">(" << escape(place) << ")</span>";
  os << "</p>\n";
  if (!facts.passes.empty()) {
    os << "<h4>Passes</h4><ul>\n";
    for (const std::string &pass : facts.passes)
      os << "<li>" << code(pass) << "</li>\n";
    os << "</ul>\n";
  }

  bool anyRules = !facts.rules.empty(), anyFolds = false;
  for (const OperationFacts &op : facts.ops) {
    anyRules |= !op.rules.empty();
    anyFolds |= isa<ReduceOp, ScanOp>(op.op);
  }
  if (anyRules) {
    os << "<h4>Rules applied</h4><div class=\"scroll\"><table><thead><tr>"
          "<th>rule</th><th>on</th><th>law</th><th>numeric effect</th></tr>"
          "</thead><tbody>\n";
    auto rows = [&](StringRef on, ArrayRef<Rule> rules) {
      for (const Rule &rule : rules)
        os << "<tr><td>" << escape(rule.name) << "</td><td class=\"code\">"
           << escape(on) << "</td><td>" << escape(rule.text) << "</td><td>"
           << escape(rule.effect) << "</td></tr>\n";
    };
    rows("the kernel", facts.rules);
    for (const OperationFacts &op : facts.ops)
      rows(op.name, op.rules);
    os << "</tbody></table></div>\n";
  }
  if (anyFolds) {
    os << "<h4>Folds</h4><div class=\"scroll\"><table><thead><tr><th>fold</th>"
          "<th>monoid and terms</th><th>when</th><th>accumulates in</th>"
          "<th>blocks of</th><th>gauges</th><th>error at most</th></tr></thead>"
          "<tbody>\n";
    for (const OperationFacts &op : facts.ops) {
      if (!isa<ReduceOp, ScanOp>(op.op))
        continue;
      os << "<tr><td class=\"code\">" << escape(op.name)
         << "</td><td class=\"code\">" << escape(op.what) << "</td><td>"
         << escape(op.when) << "</td>";
      std::string type;
      if (op.fold) {
        llvm::raw_string_ostream(type) << op.fold.getAccumulate();
        os << "<td class=\"code\">" << escape(type) << "</td><td>"
           << (op.fold.getBlock() ? std::to_string(op.fold.getBlock())
                                  : "no blocks")
           << "</td><td class=\"code\">" << escape(llvm::join(op.gauges, ", "))
           << "</td><td class=\"code\">" << escape(op.fold.getBound())
           << "</td></tr>\n";
        continue;
      }
      llvm::raw_string_ostream(type) << getElementTypeOrSelf(
          cast<StructuredOp>(op.op).getOuts().front().getType());
      os << "<td class=\"code\">" << escape(type)
         << "</td><td colspan=\"3\" class=\"soft\">in the order of the "
            "graph</td></tr>\n";
    }
    os << "</tbody></table></div>\n";
  }

  os << "<h4>Traffic</h4><div class=\"scroll\"><table><thead><tr>"
        "<th>tensor</th><th>type</th><th></th><th>bytes</th></tr></thead>"
        "<tbody>\n";
  auto row = [&](Value value, StringRef how, const std::string &bytes) {
    std::string type;
    llvm::raw_string_ostream(type) << value.getType();
    os << "<tr><td class=\"code\">" << escape(nameOf(value, state))
       << "</td><td class=\"code\">" << escape(type) << "</td><td>"
       << escape(how) << "</td><td class=\"number\">" << escape(bytes)
       << "</td></tr>\n";
  };
  for (const Access &read : facts.traffic.reads) {
    std::string how = "read";
    if (read.passes > 1)
      how += " in " + std::to_string(read.passes) + " passes";
    if (read.atMost)
      how += " at computed indices";
    row(read.value, how,
        (read.atMost ? "at most " : "") + formatBytes(read.bytes));
  }
  for (const Access &write : facts.traffic.writes)
    row(write.value, "written",
        (write.atMost ? "at most " : "") + formatBytes(write.bytes));
  for (Value value : facts.traffic.unstored)
    row(value, "never stored", formatBytes(bytesOf(value)));
  os << "</tbody></table></div>\n";
  floor(facts);
  os << "</section>\n";
}

/// What no schedule of a kernel can beat on the target.
void Page::floor(const KernelFacts &facts) {
  Peaks peaks = lookupPeaks(options.target);
  auto structured = dyn_cast<StructuredOp>(facts.op);
  auto kernel = dyn_cast<KernelOp>(facts.op);
  if (!structured && !kernel)
    return;
  Floor floor =
      structured ? Floor::get(structured, peaks) : Floor::get(kernel, peaks);
  os << "<h4>Floor</h4>\n<p>";
  if (floor.exponent)
    os << "Exponent " << formatFraction(*floor.exponent) << ". ";
  if (std::optional<double> seconds = floor.seconds())
    os << "No schedule takes less than " << formatSeconds(*seconds) << " on "
       << code(options.target) << ", bound by " << escape(floor.binding())
       << ".";
  else if (floor.work.bytes().get())
    os << "Peaks of " << code(options.target)
       << " are not published; <code>tang-run --benchmark</code> measures "
          "this machine's.";
  else
    os << "Sizes are dynamic.";
  if (floor.work.live < 1)
    os << " A mask leaves " << formatAmount(100 * floor.work.live, "%")
       << " of the points.";
  os << "</p>\n";
  if (floor.terms.empty())
    return;
  os << "<div class=\"scroll\"><table><thead><tr><th>resource</th>"
        "<th>at least</th><th>a second at most</th><th>time</th></tr></thead>"
        "<tbody>\n";
  for (const FloorTerm &term : floor.terms) {
    os << "<tr><td>" << escape(term.resource) << "</td><td class=\"number\">"
       << escape(formatAmount(term.amount, term.unit))
       << "</td><td class=\"number\">"
       << (term.peak > 0 ? escape(formatAmount(term.peak, term.unit)) : "")
       << "</td><td class=\"number\">"
       << (term.peak > 0 ? escape(formatSeconds(term.seconds())) : "")
       << "</td></tr>\n";
  }
  os << "</tbody></table></div>\n";
}

void Page::missed() {
  os << "<h2 id=\"missed\">What did not fuse, and why</h2>\n";
  std::string rows;
  llvm::raw_string_ostream out(rows);
  for (const FunctionFacts &function : functions)
    for (const KernelFacts &kernel : function.kernels) {
      auto add = [&](Operation *op, StringRef name, StringRef what,
                     StringRef when, ArrayRef<Rule> missed) {
        for (const Rule &rule : missed) {
          out << "<tr><td class=\"code\">"
              << escape(name.empty() ? what.str() : (name + " = " + what).str())
              << R"(</td><td class="code"><a href="#)" << escape(kernel.name)
              << "\">" << escape(kernel.name) << "</a>";
          if (!when.empty())
            out << ", " << escape(when);
          out << "</td><td>" << escape(rule.name)
              << "</td><td class=\"missed\">" << escape(rule.text)
              << "</td><td class=\"code\">" << escape(placeOf(op))
              << "</td></tr>\n";
        }
      };
      add(kernel.op, "", "the whole kernel", "", kernel.missed);
      for (const OperationFacts &op : kernel.ops)
        add(op.op, op.name, op.what, op.when, op.missed);
    }
  if (rows.empty()) {
    os << "<p>Nothing was tried and refused.</p>\n";
    return;
  }
  os << "<div class=\"scroll\"><table><thead><tr><th>operation</th><th>runs in"
        "</th><th>rule</th><th>why not</th><th>place</th></tr></thead><tbody>\n"
     << rows << "</tbody></table></div>\n";
}

void Page::ir() {
  os << "<h2 id=\"ir\">Derived IR</h2>\n<details><summary>Show</summary><pre>";
  std::string printed;
  llvm::raw_string_ostream out(printed);
  derived->print(out, state);
  os << escape(printed) << "</pre></details>\n";
}

std::string Page::make() {
  collect();
  os << "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width, "
        "initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
        "'none'; style-src 'unsafe-inline'\">\n<title>"
     << escape(options.title) << ": derivation</title>\n<style>"
     << report::kStyle << "</style></head>\n<body>\n";
  header();
  pictures();
  kernelTable();
  missed();
  ir();
  os << "</body></html>\n";
  return std::move(text);
}

std::string mlir::tang::makeReport(ModuleOp graph, ModuleOp derived,
                                   const ReportOptions &options) {
  return Page(graph, derived, options).make();
}
