#map = affine_map<(d0, d1, d2, d3, d4) -> (0, d0, d1, d3)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (0, d0 floordiv 2, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (0, d0 floordiv 2, d2, d4)>
#map3 = affine_map<(d0, d1, d2, d3, d4) -> (0, d0, d1, d4)>
module attributes {gpu.container_module} {
  func.func @main(%arg0: memref<1x2x15x64xbf16>, %arg1: memref<1x1x15x64xbf16>, %arg2: memref<1x1x15x64xbf16>) -> memref<1x2x15x64xbf16> {
    %c256 = arith.constant 256 : index
    %c960 = arith.constant 960 : index
    %c1920 = arith.constant 1920 : index
    %c2 = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %alloc = memref.alloc() {alignment = 64 : i64} : memref<1x2x15x64xbf16>
    %0 = tang.view %arg0[%c1920] : memref<1x2x15x64xbf16> -> memref<?xbf16>
    %1 = tang.view %arg1[%c960] : memref<1x1x15x64xbf16> -> memref<?xbf16>
    %2 = tang.view %arg2[%c960] : memref<1x1x15x64xbf16> -> memref<?xbf16>
    %3 = tang.view %alloc[%c1920] : memref<1x2x15x64xbf16> -> memref<?xbf16>
    gpu.launch_func  @kernels::@main_kernel0 blocks in (%c2, %c1, %c1) threads in (%c256, %c1, %c1)  args(%0 : memref<?xbf16>, %1 : memref<?xbf16>, %2 : memref<?xbf16>, %3 : memref<?xbf16>)
    return %alloc : memref<1x2x15x64xbf16>
  }
  gpu.module @kernels {
    gpu.func @main_kernel0(%arg0: memref<?xbf16> {tang.name = "arg0", tang.readonly}, %arg1: memref<?xbf16> {tang.name = "arg1", tang.readonly}, %arg2: memref<?xbf16> {tang.name = "arg2", tang.readonly}, %arg3: memref<?xbf16> {tang.name = "out"}) kernel attributes {tang.block = 256 : i64, tang.comment = "kernel of 1 pass: fold maximum, add, add over d2; tile 1x64x64x64x64", tang.flops = 206220 : i64, tang.schedule = #tang.schedule<tile = [1, 64, 64, 64, 64], block = 256, async = <consumers = 1, stages = 2, skew = 1, raster = 8>>} {
      %cst = arith.constant dense<0x7FC00000> : vector<1x64x1x1x64xf32>
      %cst_0 = arith.constant dense<0x7FC00000> : vector<1x64x1x1x1xf32>
      %cst_1 = arith.constant dense<0x7F800000> : vector<1x64x1x1x1xf32>
      %cst_2 = arith.constant dense<1.250000e-01> : vector<1x64x64x1x1xf32>
      %cst_3 = arith.constant dense<0.000000e+00> : vector<1x64x64x1x1xf32>
      %cst_4 = arith.constant dense<0.000000e+00> : vector<1x64x1x1x64xf32>
      %cst_5 = arith.constant dense<0.000000e+00> : vector<1x64x1x1x1xf32>
      %cst_6 = arith.constant dense<0xFF800000> : vector<1x64x1x1x1xf32>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %c15 = arith.constant 15 : index
      %c2 = arith.constant 2 : index
      %0 = tang.view %arg0 : memref<?xbf16> -> memref<1x2x15x64xbf16>
      %1 = tang.view %arg1 : memref<?xbf16> -> memref<1x1x15x64xbf16>
      %2 = tang.view %arg2 : memref<?xbf16> -> memref<1x1x15x64xbf16>
      %3 = tang.view %arg3 : memref<?xbf16> -> memref<1x2x15x64xbf16>
      %block_id_x = gpu.block_id  x
      %grid_dim_x = gpu.grid_dim  x
      scf.for %arg4 = %block_id_x to %c2 step %grid_dim_x {
        %4:3 = tang.stream %arg5 = %c0 to %c15 step 64 carry(%arg6 = %cst_6 : vector<1x64x1x1x1xf32>, %arg7 = %cst_5 : vector<1x64x1x1x1xf32>, %arg8 = %cst_4 : vector<1x64x1x1x64xf32>) attributes {comment = "d2"} {
          %15 = arith.subi %c15, %arg5 : index
          %16 = arith.minsi %15, %c64 : index
          %17 = tang.load %0 at #map(%arg4, %c0, %c0, %c0, %c0) : memref<1x2x15x64xbf16> -> vector<1x64x1x64x1xbf16>
          %18 = tang.load %1 at #map1(%arg4, %c0, %arg5, %c0, %c0) : memref<1x1x15x64xbf16> -> vector<1x1x64x64x1xbf16>
          %19 = arith.extf %17 : vector<1x64x1x64x1xbf16> to vector<1x64x1x64x1xf32>
          %20 = arith.extf %18 : vector<1x1x64x64x1xbf16> to vector<1x1x64x64x1xf32>
          %21 = vector.broadcast %19 : vector<1x64x1x64x1xf32> to vector<1x64x64x64x1xf32>
          %22 = vector.broadcast %20 : vector<1x1x64x64x1xf32> to vector<1x64x64x64x1xf32>
          %23 = arith.mulf %21, %22 : vector<1x64x64x64x1xf32>
          %24 = tang.fold #tang.monoid<add> %23 along [3] into %cst_3 counts(%c1, %c15, %16, %c64, %c1) : vector<1x64x64x64x1xf32> into vector<1x64x64x1x1xf32>
          %25 = arith.mulf %24, %cst_2 : vector<1x64x64x1x1xf32>
          %26 = tang.fold #tang.monoid<maximum> %25 along [2] into %arg6 counts(%c1, %c15, %16, %c1, %c1) : vector<1x64x64x1x1xf32> into vector<1x64x1x1x1xf32>
          %27 = math.absf %26 : vector<1x64x1x1x1xf32>
          %28 = arith.cmpf oeq, %27, %cst_1 : vector<1x64x1x1x1xf32>
          %29 = arith.select %28, %cst_5, %26 : vector<1x64x1x1x1xi1>, vector<1x64x1x1x1xf32>
          %30 = vector.broadcast %29 : vector<1x64x1x1x1xf32> to vector<1x64x64x1x1xf32>
          %31 = arith.subf %25, %30 : vector<1x64x64x1x1xf32>
          %32 = math.exp %31 : vector<1x64x64x1x1xf32>
          %c1_7 = arith.constant 1 : index
          %c1_8 = arith.constant 1 : index
          %c1_9 = arith.constant 1 : index
          %33 = tang.keep %32 counts(%c1_7, %c15, %16, %c1_8, %c1_9) : vector<1x64x64x1x1xf32>
          %34 = tang.fold #tang.monoid<add> %33 along [2] into %cst_5 counts(%c1, %c15, %16, %c1, %c1) : vector<1x64x64x1x1xf32> into vector<1x64x1x1x1xf32>
          %35 = math.absf %arg6 : vector<1x64x1x1x1xf32>
          %36 = arith.cmpf oeq, %35, %cst_1 : vector<1x64x1x1x1xf32>
          %37 = arith.select %36, %cst_5, %arg6 : vector<1x64x1x1x1xi1>, vector<1x64x1x1x1xf32>
          %38 = arith.cmpf oeq, %37, %29 : vector<1x64x1x1x1xf32>
          %39 = arith.cmpf ueq, %35, %cst_1 : vector<1x64x1x1x1xf32>
          %40 = arith.ori %38, %39 : vector<1x64x1x1x1xi1>
          %41 = arith.subf %37, %29 : vector<1x64x1x1x1xf32>
          %42 = math.exp %41 : vector<1x64x1x1x1xf32>
          %c1_10 = arith.constant 1 : index
          %c1_11 = arith.constant 1 : index
          %c1_12 = arith.constant 1 : index
          %c1_13 = arith.constant 1 : index
          %43 = tang.keep %42 counts(%c1_10, %c15, %c1_11, %c1_12, %c1_13) : vector<1x64x1x1x1xf32>
          %44 = arith.mulf %arg7, %43 : vector<1x64x1x1x1xf32>
          %45 = arith.select %40, %arg7, %44 : vector<1x64x1x1x1xi1>, vector<1x64x1x1x1xf32>
          %46 = arith.addf %45, %34 : vector<1x64x1x1x1xf32>
          %47 = tang.keep %46 counts(%c1, %c15, %c1, %c1, %c1) : vector<1x64x1x1x1xf32>
          %48 = tang.load %2 at #map2(%arg4, %c0, %arg5, %c0, %c0) : memref<1x1x15x64xbf16> -> vector<1x1x64x1x64xbf16>
          %49 = arith.truncf %33 : vector<1x64x64x1x1xf32> to vector<1x64x64x1x1xbf16>
          %50 = arith.extf %49 : vector<1x64x64x1x1xbf16> to vector<1x64x64x1x1xf32>
          %51 = arith.extf %48 : vector<1x1x64x1x64xbf16> to vector<1x1x64x1x64xf32>
          %52 = vector.broadcast %50 : vector<1x64x64x1x1xf32> to vector<1x64x64x1x64xf32>
          %53 = vector.broadcast %51 : vector<1x1x64x1x64xf32> to vector<1x64x64x1x64xf32>
          %54 = arith.mulf %52, %53 : vector<1x64x64x1x64xf32>
          %55 = tang.fold #tang.monoid<add> %54 along [2] into %cst_4 counts(%c1, %c15, %16, %c1, %c64) : vector<1x64x64x1x64xf32> into vector<1x64x1x1x64xf32>
          %56 = vector.broadcast %38 : vector<1x64x1x1x1xi1> to vector<1x64x1x1x64xi1>
          %57 = vector.broadcast %39 : vector<1x64x1x1x1xi1> to vector<1x64x1x1x64xi1>
          %58 = arith.ori %56, %57 : vector<1x64x1x1x64xi1>
          %59 = vector.broadcast %43 : vector<1x64x1x1x1xf32> to vector<1x64x1x1x64xf32>
          %60 = arith.mulf %arg8, %59 : vector<1x64x1x1x64xf32>
          %61 = arith.select %58, %arg8, %60 : vector<1x64x1x1x64xi1>, vector<1x64x1x1x64xf32>
          %62 = arith.addf %61, %55 : vector<1x64x1x1x64xf32>
          %63 = tang.keep %62 counts(%c1, %c15, %c1, %c1, %c64) : vector<1x64x1x1x64xf32>
          tang.yield %26, %47, %63 : vector<1x64x1x1x1xf32>, vector<1x64x1x1x1xf32>, vector<1x64x1x1x64xf32>
        }
        %5 = math.absf %4#0 : vector<1x64x1x1x1xf32>
        %6 = arith.cmpf ueq, %5, %cst_1 : vector<1x64x1x1x1xf32>
        %7 = arith.select %6, %cst_0, %4#1 : vector<1x64x1x1x1xi1>, vector<1x64x1x1x1xf32>
        %8 = tang.keep %7 counts(%c1, %c15, %c1, %c1, %c1) : vector<1x64x1x1x1xf32>
        %9 = vector.broadcast %6 : vector<1x64x1x1x1xi1> to vector<1x64x1x1x64xi1>
        %10 = arith.select %9, %cst, %4#2 : vector<1x64x1x1x64xi1>, vector<1x64x1x1x64xf32>
        %11 = tang.keep %10 counts(%c1, %c15, %c1, %c1, %c64) : vector<1x64x1x1x64xf32>
        %12 = vector.broadcast %8 : vector<1x64x1x1x1xf32> to vector<1x64x1x1x64xf32>
        %13 = arith.divf %11, %12 : vector<1x64x1x1x64xf32>
        %14 = arith.truncf %13 : vector<1x64x1x1x64xf32> to vector<1x64x1x1x64xbf16>
        tang.store %14, %3 at #map3(%arg4, %c0, %c0, %c0, %c0) counts(%c1, %c15, %c1, %c1, %c64) : vector<1x64x1x1x64xbf16>, memref<1x2x15x64xbf16>
      }
      gpu.return
    }
  }
}
