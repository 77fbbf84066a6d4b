//===- Graph.cpp - A block's operations as a picture ----------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"

#include "Layout.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::tang;

std::string report::escape(StringRef text) {
  std::string result;
  // Names and locations may hold any bytes.
  for (char c : llvm::json::fixUTF8(text)) {
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    case '\'':
      result += "&#39;";
      break;
    default:
      bool control = static_cast<unsigned char>(c) < 32 || c == 127;
      result += control && c != '\n' && c != '\t' ? ' ' : c;
    }
  }
  return result;
}

namespace {

/// Of the page's fixed font at its size, in pixels.
constexpr double kCharWidth = 7.3, kLineHeight = 16, kPad = 8;
/// Longer lines are cut; all of it is in the tooltip.
constexpr size_t kMaxChars = 56;
/// More boxes than this nobody reads.
constexpr size_t kMaxNodes = 400;

/// One box.
struct Node {
  std::string kind, title, tooltip;
  SmallVector<std::string> lines;
};

/// One block.
class Picture {
public:
  Picture(Block &block, AsmState &state, ArrayRef<KernelFacts> kernels)
      : block(block), state(state) {
    for (const KernelFacts &kernel : kernels)
      facts[kernel.op] = &kernel;
  }

  /// False if nothing in the block works on tensors.
  bool build();
  void draw(StringRef caption, raw_ostream &os);

private:
  int add(Node node) {
    nodes.push_back(std::move(node));
    return nodes.size() - 1;
  }
  int nodeOf(Value value);
  void addOperation(Operation *op);
  Node describe(Operation *op);

  Block &block;
  AsmState &state;
  DenseMap<Operation *, const KernelFacts *> facts;
  std::vector<Node> nodes;
  DenseMap<Value, int> producers;
  struct Edge {
    int from, to;
    Value value;
  };
  std::vector<Edge> edges;
};

std::string cut(StringRef text) {
  return text.size() <= kMaxChars
             ? text.str()
             : (text.take_front(kMaxChars - 3) + "...").str();
}

std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank()) {
    os << type;
    return text;
  }
  for (int64_t size : shaped.getShape()) {
    if (ShapedType::isDynamic(size))
      os << "?x";
    else
      os << size << "x";
  }
  os << shaped.getElementType();
  return text;
}

bool isTensor(Value value) { return isa<ShapedType>(value.getType()); }

/// What only gives shapes to others.
bool isShapeOnly(Operation *op) {
  return isa<tensor::EmptyOp, tensor::DimOp, memref::DimOp, memref::AllocOp,
             memref::AllocaOp, memref::DeallocOp>(op);
}

/// The tensors that an operation, with its regions, reads from its block.
llvm::SmallSetVector<Value, 8> readsOf(Operation *op) {
  llvm::SmallSetVector<Value, 8> values;
  auto add = [&](ValueRange range) {
    for (Value value : range)
      if (isTensor(value))
        values.insert(value);
  };
  // Destinations that give a shape only are no edges.
  if (auto kernel = dyn_cast<KernelOp>(op)) {
    add(kernel.getIns());
    return values;
  }
  if (auto structured = dyn_cast<StructuredOp>(op)) {
    add(structured.getIns());
    add(structured.getCaptures());
    auto reduce = dyn_cast<ReduceOp>(op);
    if (isa<ScanOp, ScatterOp>(op) || (reduce && !reduce.getInit()))
      for (Value out : structured.getOuts())
        if (!out.getDefiningOp() || !isShapeOnly(out.getDefiningOp()))
          add(out);
    return values;
  }
  add(op->getOperands());
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  add(captured.getArrayRef());
  return values;
}

} // namespace

Node Picture::describe(Operation *op) {
  Node node;
  llvm::raw_string_ostream tip(node.tooltip);
  tip << op->getName();
  if (op->getNumResults())
    tip << " " << nameOf(op->getResult(0), state);
  if (auto it = facts.find(op); it != facts.end() && isa<KernelOp>(op)) {
    const KernelFacts &kernel = *it->second;
    node.kind = "kernel";
    node.title = kernel.name;
    node.lines.push_back(kernel.summary());
    for (const OperationFacts &inner : kernel.ops) {
      std::string line = inner.name + " = " + inner.what;
      if (!inner.gauges.empty())
        line += ", gauge " + llvm::join(inner.gauges, ", ");
      if (!inner.when.empty())
        line += " (" + inner.when + ")";
      node.lines.push_back(line);
    }
    if (!kernel.traffic.unstored.empty())
      node.lines.push_back("never stored: " +
                           formatBytes(kernel.traffic.bytesUnstored));
    return node;
  }
  node.title = describeOperation(op);
  if (op->getNumResults())
    node.title = nameOf(op->getResult(0), state) + " = " + node.title;
  if (isa<MapOp>(op))
    node.kind = "map";
  else if (isa<ReduceOp, ScanOp>(op))
    node.kind = "fold";
  else if (op->hasTrait<OpTrait::IsTerminator>())
    node.kind = "end";
  else
    node.kind = "other";
  if (auto structured = dyn_cast<StructuredOp>(op)) {
    // A small body says more than its name.
    SmallVector<std::string> body;
    for (Operation &inner : structured.getBody()->without_terminator())
      if (!isa<arith::ConstantOp, IndexOp>(inner))
        body.push_back(inner.getName().stripDialect().str());
    if (!body.empty())
      node.lines.push_back(llvm::join(body, " "));
  } else if (op->getNumRegions()) {
    int64_t inside = 0;
    for (Region &region : op->getRegions())
      region.walk([&](Operation *inner) {
        inside += isa<StructuredOp, KernelOp>(inner) &&
                  !inner->getParentOfType<KernelOp>();
      });
    node.lines.push_back(plural(inside, "operation") + " inside");
  }
  return node;
}

int Picture::nodeOf(Value value) {
  auto it = producers.find(value);
  if (it != producers.end())
    return it->second;
  // Defined outside of the block.
  int node = add({"in",
                  nameOf(value, state) + " from outside",
                  "a value of an enclosing block",
                  {}});
  producers[value] = node;
  return node;
}

void Picture::addOperation(Operation *op) {
  if (isShapeOnly(op))
    return;
  auto reads = readsOf(op);
  bool makes = llvm::any_of(op->getResults(), isTensor);
  if (reads.empty() && !makes)
    return;
  if (op->hasTrait<OpTrait::ConstantLike>()) {
    // Drawn only where it is read; a destination may be all it is.
    bool isRead = llvm::any_of(op->getUsers(), [&](Operation *user) {
      Operation *ancestor = block.findAncestorOpInBlock(*user);
      return ancestor && readsOf(ancestor).contains(op->getResult(0));
    });
    if (!isRead)
      return;
  }
  SmallVector<int> from;
  for (Value value : reads)
    from.push_back(nodeOf(value));
  int node = add(describe(op));
  for (auto [value, source] : llvm::zip(reads, from))
    edges.push_back({source, node, value});
  for (Value result : op->getResults())
    if (isTensor(result))
      producers[result] = node;
  // After bufferisation results are what was written last.
  if (auto structured = dyn_cast<StructuredOp>(op);
      structured && structured.isBufferized())
    for (Value out : structured.getOuts())
      producers[out] = node;
  if (auto kernel = dyn_cast<KernelOp>(op); kernel && kernel.isBufferized())
    for (Value out : kernel.getOuts())
      producers[out] = node;
}

bool Picture::build() {
  bool works = false;
  for (BlockArgument argument : block.getArguments())
    if (isTensor(argument))
      producers[argument] = add({"in",
                                 nameOf(argument, state),
                                 "an argument",
                                 {typeText(argument.getType())}});
  for (Operation &op : block) {
    addOperation(&op);
    works |=
        isa<StructuredOp, KernelOp, GatherOp, SortOp, TopKOp, GroupByOp>(op);
  }
  return works;
}

void Picture::draw(StringRef caption, raw_ostream &os) {
  os << "<figure><figcaption>" << report::escape(caption) << "</figcaption>\n";
  if (nodes.size() > kMaxNodes) {
    os << "<p>" << nodes.size()
       << " nodes are too many to draw.</p></figure>\n";
    return;
  }
  std::vector<report::LayoutNode> boxes;
  for (const Node &node : nodes) {
    size_t chars = cut(node.title).size();
    for (const std::string &line : node.lines)
      chars = std::max(chars, cut(line).size());
    boxes.push_back({chars * kCharWidth + 2 * kPad,
                     (1 + node.lines.size()) * kLineHeight + 2 * kPad});
  }
  std::vector<report::LayoutEdge> lines;
  lines.reserve(edges.size());
  for (const Edge &edge : edges)
    lines.push_back({edge.from, edge.to});
  auto [width, height] = report::layOut(boxes, lines);

  auto number = [](double value) { return llvm::format("%.1f", value); };
  constexpr double kMargin = 10;
  // A label starts at a box and may end beyond all of them.
  os << R"(<div class="scroll"><svg role="img" width=")"
     << number(width + 2 * kMargin + 60) << "\" height=\""
     << number(height + 2 * kMargin) << "\" viewBox=\"" << number(-kMargin)
     << " " << number(-kMargin) << " " << number(width + 2 * kMargin + 60)
     << " " << number(height + 2 * kMargin) << "\"><title>"
     << report::escape(caption) << "</title>\n";
  // Several results leave a box at several places, with one label for all.
  std::vector<llvm::SmallSetVector<Value, 4>> results(nodes.size());
  std::vector<llvm::SmallSetVector<StringRef, 4>> types(nodes.size());
  llvm::StringSet<> names;
  for (const Edge &edge : edges) {
    results[edge.from].insert(edge.value);
    types[edge.from].insert(
        names.insert(typeText(edge.value.getType())).first->getKey());
  }
  for (auto [edge, line] : llvm::zip(edges, lines)) {
    ArrayRef<Value> from = results[edge.from].getArrayRef();
    double place = llvm::find(from, edge.value) - from.begin() + 1;
    double shift = (place / (from.size() + 1) - 0.5) * boxes[edge.from].width;
    // The second point too where it is only the way down along other boxes.
    double x = line.points.front().first;
    for (size_t i = 0; i < 2 && line.points[i].first == x; ++i)
      if (i + 1 < line.points.size())
        line.points[i].first += shift;
  }
  for (auto [edge, line] : llvm::zip(edges, lines)) {
    os << "<g class=\"edge\"><title>"
       << report::escape(nameOf(edge.value, state) + " : " +
                         typeText(edge.value.getType()))
       << "</title><path d=\"";
    for (auto [i, point] : llvm::enumerate(line.points)) {
      auto [x, y] = point;
      if (i == 0) {
        os << "M" << number(x) << " " << number(y);
        continue;
      }
      auto [px, py] = line.points[i - 1];
      double middle = (py + y) / 2;
      os << "C" << number(px) << " " << number(middle) << " " << number(x)
         << " " << number(middle) << " " << number(x) << " " << number(y);
    }
    auto [endX, endY] = line.points.back();
    os << R"("/><path class="tip" d="M)" << number(endX - 4) << " "
       << number(endY - 7) << "L" << number(endX) << " " << number(endY) << "L"
       << number(endX + 4) << " " << number(endY - 7) << "z\"/></g>\n";
  }
  for (auto [node, box, read] : llvm::zip(nodes, boxes, types)) {
    // Arguments say their type in the box.
    if (read.empty() || (node.kind == "in" && !node.lines.empty()))
      continue;
    os << R"(<text class="type" x=")" << number(box.x + 5) << "\" y=\""
       << number(box.y + box.height + 14) << "\">"
       << report::escape(cut(llvm::join(read, ", "))) << "</text>\n";
  }
  for (auto [node, box] : llvm::zip(nodes, boxes)) {
    double left = box.x - box.width / 2;
    os << "<g class=\"node " << node.kind << "\"><title>"
       << report::escape(node.tooltip);
    for (const std::string &text : node.lines)
      os << "\n" << report::escape(text);
    os << "</title><rect x=\"" << number(left) << "\" y=\"" << number(box.y)
       << "\" width=\"" << number(box.width) << "\" height=\""
       << number(box.height) << R"(" rx="5"/>)";
    double y = box.y + kPad + 12;
    os << R"(<text class="title" x=")" << number(left + kPad) << "\" y=\""
       << number(y) << "\">" << report::escape(cut(node.title)) << "</text>";
    for (const std::string &text : node.lines) {
      y += kLineHeight;
      os << "<text x=\"" << number(left + kPad) << "\" y=\"" << number(y)
         << "\">" << report::escape(cut(text)) << "</text>";
    }
    os << "</g>\n";
  }
  os << "</svg></div></figure>\n";
}

void report::drawFunction(FunctionOpInterface function, AsmState &state,
                          ArrayRef<KernelFacts> kernels, raw_ostream &os) {
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<StructuredOp, KernelOp>(op))
      return WalkResult::skip();
    for (Region &region : op->getRegions())
      for (auto [i, block] : llvm::enumerate(region)) {
        Picture picture(block, state, kernels);
        if (!picture.build())
          continue;
        std::string caption = function.getName().str();
        if (op != function)
          caption += ", inside " + op->getName().getStringRef().str();
        if (op != function && op->getNumResults())
          caption += " " + nameOf(op->getResult(0), state);
        if (!region.hasOneBlock())
          caption += ", block " + std::to_string(i);
        picture.draw(caption, os);
      }
    return WalkResult::advance();
  });
}
