#map = affine_map<(d0, d1, d2, d3, d4) -> (0, d0, d1, d3)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (0, d0 floordiv 2, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (0, d0 floordiv 2, d2, d4)>
#map3 = affine_map<(d0, d1, d2, d3, d4) -> (0, d0, d1, d4)>
module attributes {gpu.container_module} {
  func.func @main(%arg0: memref<1x2x65x64xbf16>, %arg1: memref<1x1x65x64xbf16>, %arg2: memref<1x1x65x64xbf16>) -> memref<1x2x65x64xbf16> {
    %c256 = arith.constant 256 : index
    %c4160 = arith.constant 4160 : index
    %c8320 = arith.constant 8320 : index
    %c4 = arith.constant 4 : index
    %c1 = arith.constant 1 : index
    %alloc = memref.alloc() {alignment = 64 : i64} : memref<1x2x65x64xbf16>
    %0 = tang.view %arg0[%c8320] : memref<1x2x65x64xbf16> -> memref<?xbf16>
    %1 = tang.view %arg1[%c4160] : memref<1x1x65x64xbf16> -> memref<?xbf16>
    %2 = tang.view %arg2[%c4160] : memref<1x1x65x64xbf16> -> memref<?xbf16>
    %3 = tang.view %alloc[%c8320] : memref<1x2x65x64xbf16> -> memref<?xbf16>
    gpu.launch_func  @kernels::@main_kernel0 blocks in (%c4, %c1, %c1) threads in (%c256, %c1, %c1)  args(%0 : memref<?xbf16>, %1 : memref<?xbf16>, %2 : memref<?xbf16>, %3 : memref<?xbf16>)
    return %alloc : memref<1x2x65x64xbf16>
  }
  gpu.module @kernels {
    gpu.func @main_kernel0(%arg0: memref<?xbf16> {tang.name = "arg0", tang.readonly}, %arg1: memref<?xbf16> {tang.name = "arg1", tang.readonly}, %arg2: memref<?xbf16> {tang.name = "arg2", tang.readonly}, %arg3: memref<?xbf16> {tang.name = "out"}) kernel attributes {tang.block = 256 : i64, tang.comment = "kernel of 1 pass: fold maximum, add, add over d2; tile 1x64x128x64x64", tang.flops = 3844620 : i64, tang.schedule = #tang.schedule<tile = [1, 64, 128, 64, 64], block = 256, async = <consumers = 1, stages = 2, skew = 1, raster = 8>>} {
      %cst = arith.constant dense<0x7FC00000> : vector<1x64x1x1x64xf32>
      %cst_0 = arith.constant dense<0x7FC00000> : vector<1x64x1x1x1xf32>
      %cst_1 = arith.constant dense<0x7F800000> : vector<1x64x1x1x1xf32>
      %cst_2 = arith.constant dense<1.250000e-01> : vector<1x64x128x1x1xf32>
      %cst_3 = arith.constant dense<0.000000e+00> : vector<1x64x128x1x1xf32>
      %c128 = arith.constant 128 : index
      %cst_4 = arith.constant dense<0.000000e+00> : vector<1x64x1x1x64xf32>
      %cst_5 = arith.constant dense<0.000000e+00> : vector<1x64x1x1x1xf32>
      %cst_6 = arith.constant dense<0xFF800000> : vector<1x64x1x1x1xf32>
      %c0 = arith.constant 0 : index
      %c16 = arith.constant 16 : index
      %c8 = arith.constant 8 : index
      %c4 = arith.constant 4 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %c65 = arith.constant 65 : index
      %c2 = arith.constant 2 : index
      %0 = tang.view %arg0 : memref<?xbf16> -> memref<1x2x65x64xbf16>
      %1 = tang.view %arg1 : memref<?xbf16> -> memref<1x1x65x64xbf16>
      %2 = tang.view %arg2 : memref<?xbf16> -> memref<1x1x65x64xbf16>
      %3 = tang.view %arg3 : memref<?xbf16> -> memref<1x2x65x64xbf16>
      %block_id_x = gpu.block_id  x
      %grid_dim_x = gpu.grid_dim  x
      scf.for %arg4 = %block_id_x to %c4 step %grid_dim_x {
        %4 = arith.divui %arg4, %c16 : index
        %5 = arith.muli %4, %c8 : index
        %6 = arith.subi %c2, %5 : index
        %7 = arith.minui %6, %c8 : index
        %8 = arith.remui %arg4, %c16 : index
        %9 = arith.remui %8, %7 : index
        %10 = arith.addi %5, %9 : index
        %11 = arith.divui %8, %7 : index
        %12 = arith.subi %c1, %11 : index
        %13 = arith.muli %12, %c64 : index
        %14 = arith.subi %c65, %13 : index
        %15 = arith.minsi %14, %c64 : index
        %16:3 = tang.stream %arg5 = %c0 to %c65 step 128 carry(%arg6 = %cst_6 : vector<1x64x1x1x1xf32>, %arg7 = %cst_5 : vector<1x64x1x1x1xf32>, %arg8 = %cst_4 : vector<1x64x1x1x64xf32>) attributes {comment = "d2"} {
          %27 = arith.subi %c65, %arg5 : index
          %28 = arith.minsi %27, %c128 : index
          %29 = tang.load %0 at #map(%10, %13, %c0, %c0, %c0) : memref<1x2x65x64xbf16> -> vector<1x64x1x64x1xbf16>
          %30 = tang.load %1 at #map1(%10, %c0, %arg5, %c0, %c0) : memref<1x1x65x64xbf16> -> vector<1x1x128x64x1xbf16>
          %31 = arith.extf %29 : vector<1x64x1x64x1xbf16> to vector<1x64x1x64x1xf32>
          %32 = arith.extf %30 : vector<1x1x128x64x1xbf16> to vector<1x1x128x64x1xf32>
          %33 = vector.broadcast %31 : vector<1x64x1x64x1xf32> to vector<1x64x128x64x1xf32>
          %34 = vector.broadcast %32 : vector<1x1x128x64x1xf32> to vector<1x64x128x64x1xf32>
          %35 = arith.mulf %33, %34 : vector<1x64x128x64x1xf32>
          %36 = tang.fold #tang.monoid<add> %35 along [3] into %cst_3 counts(%c1, %15, %28, %c64, %c1) : vector<1x64x128x64x1xf32> into vector<1x64x128x1x1xf32>
          %37 = arith.mulf %36, %cst_2 : vector<1x64x128x1x1xf32>
          %38 = tang.fold #tang.monoid<maximum> %37 along [2] into %arg6 counts(%c1, %15, %28, %c1, %c1) : vector<1x64x128x1x1xf32> into vector<1x64x1x1x1xf32>
          %39 = math.absf %38 : vector<1x64x1x1x1xf32>
          %40 = arith.cmpf oeq, %39, %cst_1 : vector<1x64x1x1x1xf32>
          %41 = arith.select %40, %cst_5, %38 : vector<1x64x1x1x1xi1>, vector<1x64x1x1x1xf32>
          %42 = vector.broadcast %41 : vector<1x64x1x1x1xf32> to vector<1x64x128x1x1xf32>
          %43 = arith.subf %37, %42 : vector<1x64x128x1x1xf32>
          %44 = math.exp %43 : vector<1x64x128x1x1xf32>
          %c1_7 = arith.constant 1 : index
          %c1_8 = arith.constant 1 : index
          %c1_9 = arith.constant 1 : index
          %45 = tang.keep %44 counts(%c1_7, %15, %28, %c1_8, %c1_9) : vector<1x64x128x1x1xf32>
          %46 = tang.fold #tang.monoid<add> %45 along [2] into %cst_5 counts(%c1, %15, %28, %c1, %c1) : vector<1x64x128x1x1xf32> into vector<1x64x1x1x1xf32>
          %47 = math.absf %arg6 : vector<1x64x1x1x1xf32>
          %48 = arith.cmpf oeq, %47, %cst_1 : vector<1x64x1x1x1xf32>
          %49 = arith.select %48, %cst_5, %arg6 : vector<1x64x1x1x1xi1>, vector<1x64x1x1x1xf32>
          %50 = arith.cmpf oeq, %49, %41 : vector<1x64x1x1x1xf32>
          %51 = arith.cmpf ueq, %47, %cst_1 : vector<1x64x1x1x1xf32>
          %52 = arith.ori %50, %51 : vector<1x64x1x1x1xi1>
          %53 = arith.subf %49, %41 : vector<1x64x1x1x1xf32>
          %54 = math.exp %53 : vector<1x64x1x1x1xf32>
          %c1_10 = arith.constant 1 : index
          %c1_11 = arith.constant 1 : index
          %c1_12 = arith.constant 1 : index
          %c1_13 = arith.constant 1 : index
          %55 = tang.keep %54 counts(%c1_10, %15, %c1_11, %c1_12, %c1_13) : vector<1x64x1x1x1xf32>
          %56 = arith.mulf %arg7, %55 : vector<1x64x1x1x1xf32>
          %57 = arith.select %52, %arg7, %56 : vector<1x64x1x1x1xi1>, vector<1x64x1x1x1xf32>
          %58 = arith.addf %57, %46 : vector<1x64x1x1x1xf32>
          %59 = tang.keep %58 counts(%c1, %15, %c1, %c1, %c1) : vector<1x64x1x1x1xf32>
          %60 = tang.load %2 at #map2(%10, %c0, %arg5, %c0, %c0) : memref<1x1x65x64xbf16> -> vector<1x1x128x1x64xbf16>
          %61 = arith.truncf %45 : vector<1x64x128x1x1xf32> to vector<1x64x128x1x1xbf16>
          %62 = arith.extf %61 : vector<1x64x128x1x1xbf16> to vector<1x64x128x1x1xf32>
          %63 = arith.extf %60 : vector<1x1x128x1x64xbf16> to vector<1x1x128x1x64xf32>
          %64 = vector.broadcast %62 : vector<1x64x128x1x1xf32> to vector<1x64x128x1x64xf32>
          %65 = vector.broadcast %63 : vector<1x1x128x1x64xf32> to vector<1x64x128x1x64xf32>
          %66 = arith.mulf %64, %65 : vector<1x64x128x1x64xf32>
          %67 = tang.fold #tang.monoid<add> %66 along [2] into %cst_4 counts(%c1, %15, %28, %c1, %c64) : vector<1x64x128x1x64xf32> into vector<1x64x1x1x64xf32>
          %68 = vector.broadcast %50 : vector<1x64x1x1x1xi1> to vector<1x64x1x1x64xi1>
          %69 = vector.broadcast %51 : vector<1x64x1x1x1xi1> to vector<1x64x1x1x64xi1>
          %70 = arith.ori %68, %69 : vector<1x64x1x1x64xi1>
          %71 = vector.broadcast %55 : vector<1x64x1x1x1xf32> to vector<1x64x1x1x64xf32>
          %72 = arith.mulf %arg8, %71 : vector<1x64x1x1x64xf32>
          %73 = arith.select %70, %arg8, %72 : vector<1x64x1x1x64xi1>, vector<1x64x1x1x64xf32>
          %74 = arith.addf %73, %67 : vector<1x64x1x1x64xf32>
          %75 = tang.keep %74 counts(%c1, %15, %c1, %c1, %c64) : vector<1x64x1x1x64xf32>
          tang.yield %38, %59, %75 : vector<1x64x1x1x1xf32>, vector<1x64x1x1x1xf32>, vector<1x64x1x1x64xf32>
        }
        %17 = math.absf %16#0 : vector<1x64x1x1x1xf32>
        %18 = arith.cmpf ueq, %17, %cst_1 : vector<1x64x1x1x1xf32>
        %19 = arith.select %18, %cst_0, %16#1 : vector<1x64x1x1x1xi1>, vector<1x64x1x1x1xf32>
        %20 = tang.keep %19 counts(%c1, %15, %c1, %c1, %c1) : vector<1x64x1x1x1xf32>
        %21 = vector.broadcast %18 : vector<1x64x1x1x1xi1> to vector<1x64x1x1x64xi1>
        %22 = arith.select %21, %cst, %16#2 : vector<1x64x1x1x64xi1>, vector<1x64x1x1x64xf32>
        %23 = tang.keep %22 counts(%c1, %15, %c1, %c1, %c64) : vector<1x64x1x1x64xf32>
        %24 = vector.broadcast %20 : vector<1x64x1x1x1xf32> to vector<1x64x1x1x64xf32>
        %25 = arith.divf %23, %24 : vector<1x64x1x1x64xf32>
        %26 = arith.truncf %25 : vector<1x64x1x1x64xf32> to vector<1x64x1x1x64xbf16>
        tang.store %26, %3 at #map3(%10, %13, %c0, %c0, %c0) counts(%c1, %15, %c1, %c1, %c64) : vector<1x64x1x1x64xbf16>, memref<1x2x65x64xbf16>
      }
      gpu.return
    }
  }
}
