// RUN: tang-opt %s --split-input-file --verify-diagnostics

// expected-error@+2 {{schedule: 2 consumers and a producer are 384 threads, the block has 256}}
module attributes {
  my.schedule = #tang.schedule<tile = [128, 64], block = 256, async = <consumers = 2, stages = 2, skew = 0, raster = 1>>} {}

// -----

// expected-error@+1 {{async: 1 to 3 consumers, got 0}}
module attributes {my.async = #tang.async<consumers = 0, stages = 2, skew = 0, raster = 1>} {}

// -----

// expected-error@+1 {{async: 1 to 3 consumers, got 4}}
module attributes {my.async = #tang.async<consumers = 4, stages = 2, skew = 0, raster = 1>} {}

// -----

// expected-error@+1 {{async: 2 to 16 stages, got 1}}
module attributes {my.async = #tang.async<consumers = 2, stages = 1, skew = 0, raster = 1>} {}

// -----

// expected-error@+1 {{async: 2 to 16 stages, got 17}}
module attributes {my.async = #tang.async<consumers = 2, stages = 17, skew = 0, raster = 1>} {}

// -----

// expected-error@+1 {{async: skew is 0 or 1, got 2}}
module attributes {my.async = #tang.async<consumers = 2, stages = 2, skew = 2, raster = 1>} {}

// -----

// expected-error@+1 {{async: raster is 1 to 1024, got 0}}
module attributes {my.async = #tang.async<consumers = 2, stages = 2, skew = 0, raster = 0>} {}

// -----

// expected-error@+1 {{async: raster is 1 to 1024, got 4294967296}}
module attributes {my.async = #tang.async<consumers = 2, stages = 2, skew = 0, raster = 4294967296>} {}
