// What the rows of cpu.py are compared with: OpenBLAS, oneDNN and plain loops,
// each behind one C function. Built by cpu.py; nothing else needs it.
#include <cblas.h>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>
#include <vector>

using namespace dnnl;
using Tag = memory::format_tag;
using F32 = memory::data_type;

namespace {
engine &cpu() {
  static engine e(engine::kind::cpu, 0);
  return e;
}
stream &queue() {
  static stream s(cpu());
  return s;
}
memory::desc matrix(int64_t rows, int64_t columns) {
  return {{rows, columns}, F32::f32, Tag::ab};
}

/// A primitive and its memory, made once.
struct Made {
  primitive run;
  std::unordered_map<int, memory> arguments;
  void operator()(std::vector<std::pair<int, const void *>> places) {
    for (auto [which, place] : places)
      arguments.at(which).set_data_handle(const_cast<void *>(place));
    run.execute(queue(), arguments);
    queue().wait();
  }
};
memory bare(const memory::desc &desc) {
  return {desc, cpu(), DNNL_MEMORY_NONE};
}

Made makeSoftmax(int64_t rows, int64_t columns) {
  memory::desc desc = matrix(rows, columns);
  softmax_forward::desc how(prop_kind::forward_inference, desc, 1);
  return {softmax_forward({how, cpu()}),
          {{DNNL_ARG_SRC, bare(desc)}, {DNNL_ARG_DST, bare(desc)}}};
}
} // namespace

extern "C" {

void peer_gemm(int64_t m, int64_t n, int64_t k, const float *a, const float *b,
               float *c) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, k, b, n,
              0, c, n);
}

void peer_softmax(int64_t rows, int64_t columns, const float *x, float *y) {
  static int64_t known[2];
  static std::unique_ptr<Made> made;
  if (!made || known[0] != rows || known[1] != columns)
    made = std::make_unique<Made>(makeSoftmax(rows, columns));
  known[0] = rows, known[1] = columns;
  (*made)({{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}});
}

void peer_layernorm(int64_t rows, int64_t columns, const float *x,
                    const float *scale, const float *shift, float *y) {
  static std::unique_ptr<Made> made;
  static std::vector<float> both;
  static int64_t known[2];
  if (!made || known[0] != rows || known[1] != columns) {
    memory::desc desc = matrix(rows, columns);
    layer_normalization_forward::desc how(prop_kind::forward_inference, desc,
                                          1e-5f,
                                          normalization_flags::use_scale_shift);
    made = std::make_unique<Made>(
        Made{layer_normalization_forward({how, cpu()}),
             {{DNNL_ARG_SRC, bare(desc)},
              {DNNL_ARG_DST, bare(desc)},
              {DNNL_ARG_SCALE_SHIFT, bare(matrix(2, columns))}}});
    both.resize(2 * columns);
  }
  known[0] = rows, known[1] = columns;
  std::memcpy(both.data(), scale, 4 * columns);
  std::memcpy(both.data() + columns, shift, 4 * columns);
  (*made)({{DNNL_ARG_SRC, x},
           {DNNL_ARG_DST, y},
           {DNNL_ARG_SCALE_SHIFT, both.data()}});
}

/// Rows of sums that the compiler may reorder, so that it makes vectors of them
/// (this file is built with -Ofast).
void peer_rmsnorm(int64_t rows, int64_t columns, const float *x,
                  const float *scale, float *y) {
  for (int64_t i = 0; i < rows; ++i) {
    const float *row = x + i * columns;
    float sum = 0;
    for (int64_t j = 0; j < columns; ++j)
      sum += row[j] * row[j];
    float factor = 1 / std::sqrt(sum / columns + 1e-5f);
    for (int64_t j = 0; j < columns; ++j)
      y[i * columns + j] = row[j] * factor * scale[j];
  }
}

/// Head after head: scores by OpenBLAS, softmax by oneDNN, and OpenBLAS again.
void peer_attention(int64_t heads, int64_t length, int64_t width,
                    const float *q, const float *k, const float *v, float *y) {
  static std::vector<float> scores;
  scores.resize(length * length);
  float scale = 1 / std::sqrt(float(width));
  for (int64_t h = 0; h < heads; ++h) {
    int64_t at = h * length * width;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, length, length, width,
                scale, q + at, width, k + at, width, 0, scores.data(), length);
    peer_softmax(length, length, scores.data(), scores.data());
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, length, width,
                length, 1, scores.data(), length, v + at, width, 0, y + at,
                width);
  }
}

void peer_copy(int64_t count, const float *x, float *y) {
  for (int64_t i = 0; i < count; ++i)
    y[i] = x[i] * 2;
}
}
