//===- StructuredSyntax.cpp - Text of structured operations
//-----------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StructuredSyntax.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::detail;

namespace {
using Unresolved = OpAsmParser::UnresolvedOperand;

/// Parses one structured operation, keeping what its parts share.
struct Parser {
  OpAsmParser &parser;
  OperationState &result;
  MLIRContext *context;
  SmallVector<std::pair<StringRef, AffineExpr>> names;
  unsigned numDims = 0, numSymbols = 0;

  ParseResult name(AffineExpr expr) {
    StringRef text;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&text))
      return failure();
    for (auto &known : names)
      if (known.first == text)
        return parser.emitError(loc) << "'" << text << "' is named twice";
    names.push_back({text, expr});
    return success();
  }
  ParseResult dim() { return name(getAffineDimExpr(numDims++, context)); }

  /// `[i, j]`
  ParseResult dims() {
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                          [&] { return dim(); });
  }
  /// `[k = 8, l = %n]`
  ParseResult sizedDims(SmallVectorImpl<int64_t> &statics,
                        SmallVectorImpl<Unresolved> &dynamics) {
    return parser.parseCommaSeparatedList(
        AsmParser::Delimiter::Square, [&]() -> ParseResult {
          if (dim() || parser.parseEqual())
            return failure();
          int64_t size;
          OptionalParseResult literal = parser.parseOptionalInteger(size);
          if (literal.has_value()) {
            if (failed(*literal))
              return failure();
            if (size < 0)
              return parser.emitError(parser.getNameLoc())
                     << "a dimension's size cannot be negative";
            statics.push_back(size);
            return success();
          }
          statics.push_back(ShapedType::kDynamic);
          return parser.parseOperand(dynamics.emplace_back());
        });
  }

  ParseResult common(SmallVectorImpl<Unresolved> &sizes);
};
} // namespace

ParseResult Parser::common(SmallVectorImpl<Unresolved> &sizes) {
  Type indexType = IndexType::get(context);
  SmallVector<Unresolved> symbols, ins, captures, outs;
  SmallVector<Type> inTypes, captureTypes, outTypes;
  SmallVector<SmallVector<AffineExpr>> exprs;

  if (succeeded(parser.parseOptionalKeyword("symbols"))) {
    auto one = [&]() -> ParseResult {
      return failure(name(getAffineSymbolExpr(numSymbols++, context)) ||
                     parser.parseEqual() ||
                     parser.parseOperand(symbols.emplace_back()));
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, one))
      return failure();
  }
  SMLoc insLoc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("ins"))) {
    auto one = [&]() -> ParseResult {
      if (parser.parseOperand(ins.emplace_back()))
        return failure();
      auto &list = exprs.emplace_back();
      return parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square, [&]() -> ParseResult {
            return parser.parseAffineExpr(names, list.emplace_back());
          });
    };
    if (parser.parseLParen() || parser.parseCommaSeparatedList(one) ||
        parser.parseColonTypeList(inTypes) || parser.parseRParen())
      return failure();
  }
  auto plainOperands = [&](SmallVectorImpl<Unresolved> &operands,
                           SmallVectorImpl<Type> &types) -> ParseResult {
    return failure(parser.parseLParen() || parser.parseOperandList(operands) ||
                   parser.parseColonTypeList(types) || parser.parseRParen());
  };
  SMLoc withLoc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("with")) &&
      plainOperands(captures, captureTypes))
    return failure();
  SMLoc outsLoc = parser.getCurrentLocation();
  if (parser.parseKeyword("outs") || plainOperands(outs, outTypes))
    return failure();

  if (parser.resolveOperands(sizes, indexType, result.operands) ||
      parser.resolveOperands(symbols, indexType, result.operands) ||
      parser.resolveOperands(ins, inTypes, insLoc, result.operands) ||
      parser.resolveOperands(captures, captureTypes, withLoc,
                             result.operands) ||
      parser.resolveOperands(outs, outTypes, outsLoc, result.operands))
    return failure();
  for (Type type : outTypes)
    if (isa<RankedTensorType>(type))
      result.addTypes(type);

  SmallVector<AffineMap> maps;
  for (auto &list : exprs)
    maps.push_back(AffineMap::get(numDims, numSymbols, list, context));
  result.addAttribute("in_maps",
                      parser.getBuilder().getAffineMapArrayAttr(maps));

  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren,
                               /*allowType=*/true))
    return failure();
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  if (body->empty())
    return parser.emitError(parser.getNameLoc()) << "expects a body";

  SmallVector<int32_t> segments;
  bool explicitSizes = result.name.getStringRef() == "tang.reduce" ||
                       result.name.getStringRef() == "tang.scatter";
  if (explicitSizes)
    segments.push_back(sizes.size());
  for (size_t n : {symbols.size(), ins.size(), captures.size(), outs.size()})
    segments.push_back(n);
  result.addAttribute("operandSegmentSizes",
                      parser.getBuilder().getDenseI32ArrayAttr(segments));
  return success();
}

ParseResult mlir::tang::detail::parseStructured(OpAsmParser &parser,
                                                OperationState &result,
                                                StructuredForm form) {
  Parser p{parser, result, parser.getContext(), {}};
  Builder &builder = parser.getBuilder();
  SmallVector<int64_t> statics;
  SmallVector<Unresolved> sizes;

  Attribute monoid;
  if (form == StructuredForm::Scatter) {
    OptionalParseResult parsed = parser.parseOptionalAttribute(monoid);
    if (parsed.has_value() && failed(*parsed))
      return failure();
  } else if (form != StructuredForm::Map) {
    if (parser.parseAttribute(monoid))
      return failure();
  }
  if (monoid)
    result.addAttribute("monoid", monoid);

  if (form != StructuredForm::Scatter && p.dims())
    return failure();
  switch (form) {
  case StructuredForm::Map:
    break;
  case StructuredForm::Reduce:
    if (parser.parseKeyword("over") || p.sizedDims(statics, sizes))
      return failure();
    if (succeeded(parser.parseOptionalKeyword("init"))) {
      SmallVector<Attribute> init;
      if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
            return parser.parseAttribute(init.emplace_back());
          }))
        return failure();
      result.addAttribute("init", builder.getArrayAttr(init));
    }
    break;
  case StructuredForm::Scan: {
    StringRef along;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword("along", " and the scanned dimension") ||
        parser.parseKeyword(&along))
      return failure();
    auto *it =
        llvm::find_if(p.names, [&](auto &n) { return n.first == along; });
    if (it == p.names.end())
      return parser.emitError(loc) << "no dimension is named '" << along << "'";
    result.addAttribute("dim", builder.getI64IntegerAttr(it - p.names.begin()));
    if (succeeded(parser.parseOptionalKeyword("reverse")))
      result.addAttribute("reverse", builder.getUnitAttr());
    if (succeeded(parser.parseOptionalKeyword("exclusive")))
      result.addAttribute("exclusive", builder.getUnitAttr());
    break;
  }
  case StructuredForm::Scatter:
    if (parser.parseKeyword("over") || p.sizedDims(statics, sizes))
      return failure();
    if (succeeded(parser.parseOptionalKeyword("unique")))
      result.addAttribute("unique", builder.getUnitAttr());
    break;
  }
  if (form == StructuredForm::Reduce || form == StructuredForm::Scatter)
    result.addAttribute("static_sizes", builder.getDenseI64ArrayAttr(statics));
  return p.common(sizes);
}

/// Prints `[d2 = 8, d3 = %n]` for the dimensions from `first` on.
static void printSizedDims(OpAsmPrinter &printer, int64_t first,
                           ArrayRef<int64_t> statics, OperandRange dynamics) {
  printer << " over [";
  int64_t next = 0;
  for (auto [i, size] : llvm::enumerate(statics)) {
    printer << (i ? ", d" : "d") << first + i << " = ";
    if (ShapedType::isDynamic(size))
      printer << dynamics[next++];
    else
      printer << size;
  }
  printer << "]";
}

void mlir::tang::detail::printStructured(OpAsmPrinter &printer, StructuredOp op,
                                         StructuredForm form) {
  SmallVector<StringRef> elided = {"operandSegmentSizes",
                                   "in_maps",
                                   "monoid",
                                   "static_sizes",
                                   "init",
                                   "dim",
                                   "reverse",
                                   "exclusive",
                                   "unique"};
  if (Attribute monoid = op->getAttr("monoid"))
    printer << " " << monoid;
  if (form != StructuredForm::Scatter) {
    int64_t named = op.getNumDims();
    if (auto reduce = dyn_cast<ReduceOp>(op.getOperation()))
      named = reduce.getNumResultDims();
    printer << " [";
    for (int64_t i = 0; i < named; ++i)
      printer << (i ? ", d" : "d") << i;
    printer << "]";
  }
  if (auto reduce = dyn_cast<ReduceOp>(op.getOperation())) {
    printSizedDims(printer, reduce.getNumResultDims(), reduce.getStaticSizes(),
                   reduce.getSizes());
    if (ArrayAttr init = reduce.getInitAttr()) {
      printer << " init(";
      llvm::interleaveComma(init, printer);
      printer << ")";
    }
  } else if (auto scan = dyn_cast<ScanOp>(op.getOperation())) {
    printer << " along d" << scan.getDim();
    if (scan.getReverse())
      printer << " reverse";
    if (scan.getExclusive())
      printer << " exclusive";
  } else if (auto scatter = dyn_cast<ScatterOp>(op.getOperation())) {
    printSizedDims(printer, 0, scatter.getStaticSizes(), scatter.getSizes());
    if (scatter.getUnique())
      printer << " unique";
  }
  if (!op.getSymbols().empty()) {
    printer << " symbols(";
    for (auto [i, symbol] : llvm::enumerate(op.getSymbols()))
      printer << (i ? ", s" : "s") << i << " = " << symbol;
    printer << ")";
  }
  if (!op.getIns().empty()) {
    printer << " ins(";
    SmallVector<AffineMap> maps = op.getInMapArray();
    for (auto [i, operand] : llvm::enumerate(op.getIns())) {
      printer << (i ? ", " : "") << operand << "[";
      llvm::interleaveComma(maps[i].getResults(), printer.getStream());
      printer << "]";
    }
    printer << " : ";
    llvm::interleaveComma(op.getIns().getTypes(), printer);
    printer << ")";
  }
  auto plainOperands = [&](StringRef keyword, OperandRange operands) {
    printer << " " << keyword << "(" << operands << " : ";
    llvm::interleaveComma(operands.getTypes(), printer);
    printer << ")";
  };
  if (!op.getCaptures().empty())
    plainOperands("with", op.getCaptures());
  plainOperands("outs", op.getOuts());
  printer.printOptionalAttrDictWithKeyword(op->getAttrs(), elided);
  printer << " (";
  llvm::interleaveComma(
      op.getBody()->getArguments(), printer,
      [&](BlockArgument arg) { printer.printRegionArgument(arg); });
  printer << ") ";
  printer.printRegion(op->getRegion(0), /*printEntryBlockArgs=*/false);
}
