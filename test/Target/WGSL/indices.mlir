// RUN: tang-translate --tang-to-wgsl %s | FileCheck %s
// An index is an i32 where that is provably enough. What memory holds may be larger, and so may a product of sizes where
// it is compared; an address needs the low word only.

// CHECK-LABEL: fn pick(
// CHECK:   let [[I:.*]]: vec2<u32> = where_[thread];
// CHECK:   let at: i32 = i32([[I]].x);
// CHECK:   if (tang_less_u64([[I]], tang_i64_of_i32(n))) {
// CHECK:     y[thread * m + 1] = x[at];

// CHECK-LABEL: fn area(
// CHECK:   let [[C:.*]]: bool = tang_less_i64(tang_i64_of_i32(thread), tang_mul64(tang_i64_of_i32(n1), tang_i64_of_i32(m1)));
// CHECK:   if ([[C]]) {
// CHECK:     x1[thread] = 1.0f;
gpu.module @kernels {
  gpu.func @pick(%x: memref<?xf32> {tang.name = "x", tang.readonly}, %w: memref<?xindex> {tang.name = "where", tang.readonly},
                 %y: memref<?xf32> {tang.name = "y"}, %n: index {tang.name = "n"}, %m: index {tang.name = "m"})
      kernel attributes {tang.block = 64 : i64} {
    %one = arith.constant 1 : index
    %thread = gpu.thread_id x
    %i = memref.load %w[%thread] : memref<?xindex>
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      %v = memref.load %x[%i] : memref<?xf32>
      %row = arith.muli %thread, %m : index
      %at = arith.addi %row, %one : index
      memref.store %v, %y[%at] : memref<?xf32>
    }
    gpu.return
  }
  gpu.func @area(%x: memref<?xf32> {tang.name = "x"}, %n: index {tang.name = "n"}, %m: index {tang.name = "m"})
      kernel attributes {tang.block = 64 : i64} {
    %one = arith.constant 1.0 : f32
    %thread = gpu.thread_id x
    %all = arith.muli %n, %m : index
    %inside = arith.cmpi slt, %thread, %all : index
    scf.if %inside {
      memref.store %one, %x[%thread] : memref<?xf32>
    }
    gpu.return
  }
}
