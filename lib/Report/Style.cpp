//===- Style.cpp - How a report's page looks ------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Style.h"

// The font's size and its width of a character are known to Graph.cpp.
const char *const mlir::tang::report::kStyle = R"css(
:root { color-scheme: light dark;
  --page: #fff; --text: #1c1e21; --soft: #5b616a; --line: #d5d9de;
  --panel: #f5f6f8; --accent: #1a5fb4;
  --map: #e8f1fb; --fold: #fdf0dc; --kernel: #e6f5ea; --in: #f1f2f4;
  --warn: #8a4b00; }
@media (prefers-color-scheme: dark) { :root {
  --page: #17191c; --text: #e6e8ea; --soft: #a0a7b0; --line: #3b4047;
  --panel: #202327; --accent: #82b4f5;
  --map: #1d3148; --fold: #45351b; --kernel: #1e3b29; --in: #2a2e33;
  --warn: #f0b060; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem; max-width: 76rem;
  background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .2rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 .6rem;
  border-bottom: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.6rem 0 .3rem; }
h4 { font-size: .95rem; margin: 1rem 0 .2rem; color: var(--soft); }
p { margin: .3rem 0; }
a { color: var(--accent); }
code, pre, td.code, svg text { font-family: ui-monospace, monospace; }
code, pre, td.code { font-size: 13px; }
.soft { color: var(--soft); }
dl.totals { display: flex; flex-wrap: wrap; gap: .6rem; margin: 1rem 0; }
dl.totals div { background: var(--panel); border: 1px solid var(--line);
  border-radius: 6px; padding: .4rem .8rem; }
dl.totals dt { color: var(--soft); font-size: .8rem; }
dl.totals dd { margin: 0; font-weight: 600; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: .3rem 0; }
th, td { text-align: left; vertical-align: top; padding: .25rem .7rem .25rem 0;
  border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 500; font-size: .85rem; }
td.number { white-space: nowrap; }
td.missed { color: var(--warn); }
figure { margin: .5rem 0 1.5rem; }
figcaption { color: var(--soft); margin-bottom: .3rem; }
details > summary { cursor: pointer; }
pre { background: var(--panel); border: 1px solid var(--line);
  border-radius: 6px; padding: .8rem; overflow-x: auto; }
svg { display: block; }
svg text { font-size: 12px; fill: var(--text); }
svg text.title { font-weight: 600; }
svg text.type { font-size: 11px; fill: var(--soft); paint-order: stroke;
  stroke: var(--page); stroke-width: 4px; }
svg .node rect { fill: var(--page); stroke: var(--soft); }
svg .in rect { fill: var(--in); stroke: var(--line); }
svg .map rect { fill: var(--map); }
svg .fold rect { fill: var(--fold); }
svg .kernel rect { fill: var(--kernel); stroke-width: 2px; }
svg .edge path { fill: none; stroke: var(--soft); }
svg .edge path.tip { fill: var(--soft); stroke: none; }
svg .edge:hover path { stroke: var(--accent); stroke-width: 2px; }
.key span { display: inline-block; padding: 0 .5rem; margin-right: .4rem;
  border: 1px solid var(--soft); border-radius: 4px; font-size: .85rem; }
.key .map { background: var(--map); } .key .fold { background: var(--fold); }
.key .kernel { background: var(--kernel); }
@media print { details > summary { display: none; } }
)css";
