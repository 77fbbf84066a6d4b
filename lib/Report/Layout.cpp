//===- Layout.cpp - Places of boxes and lines of a graph ------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layout.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace mlir::tang::report;

namespace {

/// Space between boxes of a layer, and between layers (a label fits).
constexpr double kGapX = 24, kGapY = 54;
/// Width of a line that passes a layer.
constexpr double kLine = 12;
/// Rounds of ordering and of placing; more change little.
constexpr int kRounds = 8;

/// A box, or the place where a line passes a layer.
struct Item {
  double width, x = 0;
  int layer;
  std::vector<int> above, below;
};

class Layering {
public:
  Layering(llvm::MutableArrayRef<LayoutNode> nodes,
           llvm::MutableArrayRef<LayoutEdge> edges)
      : nodes(nodes), edges(edges) {}

  std::pair<double, double> run();

private:
  void assignLayers();
  void passLines();
  void orderBy(bool down);
  void placeBy(bool down);

  llvm::MutableArrayRef<LayoutNode> nodes;
  llvm::MutableArrayRef<LayoutEdge> edges;
  std::vector<Item> items;
  std::vector<std::vector<int>> layers;
  /// The items of each edge, from above.
  std::vector<std::vector<int>> ways;
};

} // namespace

void Layering::assignLayers() {
  std::vector<int> layer(nodes.size(), 0);
  std::vector<std::vector<int>> in(nodes.size()), out(nodes.size());
  for (const LayoutEdge &edge : edges) {
    in[edge.to].push_back(edge.from);
    out[edge.from].push_back(edge.to);
  }
  for (size_t n = 0; n < nodes.size(); ++n)
    for (int from : in[n])
      layer[n] = std::max(layer[n], layer[from] + 1);
  // What reads nothing stands just above its first reader.
  for (size_t n = 0; n < nodes.size(); ++n) {
    if (!in[n].empty() || out[n].empty())
      continue;
    int least = layer[out[n].front()];
    for (int to : out[n])
      least = std::min(least, layer[to]);
    layer[n] = least - 1;
  }
  for (auto [n, node] : llvm::enumerate(nodes))
    items.push_back({node.width, 0, layer[n], {}, {}});
}

void Layering::passLines() {
  for (const LayoutEdge &edge : edges) {
    std::vector<int> &way = ways.emplace_back();
    way.push_back(edge.from);
    for (int layer = items[edge.from].layer + 1; layer < items[edge.to].layer;
         ++layer) {
      way.push_back(items.size());
      items.push_back({kLine, 0, layer, {}, {}});
    }
    way.push_back(edge.to);
    for (size_t i = 0; i + 1 < way.size(); ++i) {
      items[way[i]].below.push_back(way[i + 1]);
      items[way[i + 1]].above.push_back(way[i]);
    }
  }
  for (auto [i, item] : llvm::enumerate(items)) {
    if (static_cast<int>(layers.size()) <= item.layer)
      layers.resize(item.layer + 1);
    layers[item.layer].push_back(i);
  }
}

/// Items follow the mean place of their neighbours on one side.
void Layering::orderBy(bool down) {
  std::vector<double> place(items.size());
  for (const std::vector<int> &layer : layers)
    for (auto [i, item] : llvm::enumerate(layer))
      place[item] = (i + 0.5) / layer.size();
  auto sortLayer = [&](std::vector<int> &layer) {
    std::vector<double> wish(items.size());
    for (int item : layer) {
      const auto &sides = down ? items[item].above : items[item].below;
      double sum = 0;
      for (int other : sides)
        sum += place[other];
      wish[item] = sides.empty() ? place[item] : sum / sides.size();
    }
    llvm::stable_sort(layer, [&](int a, int b) { return wish[a] < wish[b]; });
    for (auto [i, item] : llvm::enumerate(layer))
      place[item] = (i + 0.5) / layer.size();
  };
  if (down)
    llvm::for_each(layers, sortLayer);
  else
    llvm::for_each(llvm::reverse(layers), sortLayer);
}

/// Each layer as near to the means of its neighbours as its widths let it: with
/// the widths taken off, the nearest non-decreasing sequence, which pooling
/// finds.
void Layering::placeBy(bool down) {
  struct Pool {
    double sum;
    int count;
    double mean() const { return sum / count; }
  };
  auto placeLayer = [&](std::vector<int> &layer) {
    std::vector<double> offset(layer.size());
    std::vector<Pool> pools;
    for (size_t i = 0; i < layer.size(); ++i) {
      const Item &item = items[layer[i]];
      if (i)
        offset[i] = offset[i - 1] + kGapX +
                    (items[layer[i - 1]].width + item.width) / 2;
      const auto &sides = down ? item.above : item.below;
      double wish = item.x;
      if (!sides.empty()) {
        wish = 0;
        for (int other : sides)
          wish += items[other].x / sides.size();
      }
      pools.push_back({wish - offset[i], 1});
      while (pools.size() > 1 &&
             pools[pools.size() - 2].mean() > pools.back().mean()) {
        Pool last = pools.back();
        pools.pop_back();
        pools.back().sum += last.sum;
        pools.back().count += last.count;
      }
    }
    size_t i = 0;
    for (const Pool &pool : pools)
      for (int k = 0; k < pool.count; ++k, ++i)
        items[layer[i]].x = pool.mean() + offset[i];
  };
  if (down)
    llvm::for_each(layers, placeLayer);
  else
    llvm::for_each(llvm::reverse(layers), placeLayer);
}

std::pair<double, double> Layering::run() {
  if (nodes.empty())
    return {0, 0};
  assignLayers();
  passLines();
  for (int round = 0; round < kRounds; ++round)
    orderBy(round % 2 == 0);
  for (int round = 0; round < kRounds; ++round)
    placeBy(round % 2 == 0);

  double left = items.front().x, right = left;
  for (const Item &item : items) {
    left = std::min(left, item.x - item.width / 2);
    right = std::max(right, item.x + item.width / 2);
  }
  double y = 0;
  std::vector<double> top, bottom;
  for (const std::vector<int> &layer : layers) {
    double height = 0;
    for (int item : layer)
      if (item < static_cast<int>(nodes.size()))
        height = std::max(height, nodes[item].height);
    top.push_back(y);
    bottom.push_back(y + height);
    y += height + kGapY;
  }
  for (auto [n, node] : llvm::enumerate(nodes)) {
    node.x = items[n].x - left;
    node.y = top[items[n].layer];
  }
  for (auto [edge, way] : llvm::zip(edges, ways))
    for (int item : way) {
      double x = items[item].x - left;
      if (item == edge.from) {
        edge.points.emplace_back(x, nodes[item].y + nodes[item].height);
        // A low box beside a high one: straight down to the layer's end.
        if (bottom[items[item].layer] > edge.points.back().second)
          edge.points.emplace_back(x, bottom[items[item].layer]);
      } else {
        edge.points.emplace_back(x, top[items[item].layer]);
        if (item != edge.to)
          edge.points.emplace_back(x, bottom[items[item].layer]);
      }
    }
  return {right - left, y - kGapY};
}

std::pair<double, double>
mlir::tang::report::layOut(llvm::MutableArrayRef<LayoutNode> nodes,
                           llvm::MutableArrayRef<LayoutEdge> edges) {
  return Layering(nodes, edges).run();
}
