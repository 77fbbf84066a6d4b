//===- Runtime.h - The C ABI of libtang_runtime --------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs bundles (docs/Bundle.md) on this machine's devices. No LLVM inside.
//
// Errors: a function that can fail returns 0 when good and non-zero otherwise.
// If its last argument `error` is not null, it then points to a message that
// the caller frees with tang_rt_free_string. On success *error is untouched.
//
// Threads: functions that touch one device or its programs run one at a time
// (the runtime locks); different devices are independent.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_RUNTIME_RUNTIME_H
#define TANG_RUNTIME_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TANG_RT_EXPORT __attribute__((visibility("default")))
#else
#define TANG_RT_EXPORT
#endif

/// Element types. i4 and i1 take one byte an element (sign-extended; 0 or 1),
/// index eight, bf16 and f8 are their bits.
typedef enum tang_rt_dtype {
  TANG_RT_F64,
  TANG_RT_F32,
  TANG_RT_F16,
  TANG_RT_BF16,
  TANG_RT_F8E4M3FN,
  TANG_RT_F8E5M2,
  TANG_RT_I64,
  TANG_RT_I32,
  TANG_RT_I16,
  TANG_RT_I8,
  TANG_RT_I4,
  TANG_RT_I1,
  TANG_RT_INDEX
} tang_rt_dtype;

/// A dense tensor in host memory, last dimension fastest. `shape` has `rank`
/// sizes in elements, none negative; it may be null for rank 0.
typedef struct tang_rt_tensor {
  tang_rt_dtype dtype;
  int32_t rank;
  const int64_t *shape;
  void *data;
} tang_rt_tensor;

/// The declared type of an argument or result. Sizes that are known only at
/// call time are -1. Everything belongs to the program.
typedef struct tang_rt_spec {
  const char *name;
  tang_rt_dtype dtype;
  int32_t rank;
  const int64_t *shape;
  int32_t is_scalar;
} tang_rt_spec;

/// A named file of a bundle in memory.
typedef struct tang_rt_file {
  const char *name;
  const void *data;
  size_t size;
} tang_rt_file;

/// Memory on a device in bytes: held now (also for reuse), and the most since
/// the device was opened or the peak was reset.
typedef struct tang_rt_memory {
  uint64_t held;
  uint64_t peak;
} tang_rt_memory;

/// Returns the address of the kernel called `name`, or null. Called while a
/// program is loaded; the address must stay good until it is freed.
typedef void *(*tang_rt_resolver)(void *user, const char *name);

typedef struct tang_rt_device tang_rt_device;
typedef struct tang_rt_program tang_rt_program;
typedef struct tang_rt_call tang_rt_call;

TANG_RT_EXPORT void tang_rt_free_string(char *string);

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

/// The devices for `target`, one a line: `0: name, driver`. Empty if there are
/// none; an error only if the target is unknown or its loader is missing. The
/// caller frees *text with tang_rt_free_string.
TANG_RT_EXPORT int tang_rt_list_devices(const char *target, char **text,
                                        char **error);

/// Opens device number `index` for `target`: cpu and c are the host (index 0;
/// TANG_NUM_THREADS sets its threads), opencl counts over all platforms, cuda
/// and h200 over the driver's devices.
TANG_RT_EXPORT int tang_rt_open_device(const char *target, int32_t index,
                                       tang_rt_device **device, char **error);

/// Programs and calls that still use the device keep it alive.
TANG_RT_EXPORT void tang_rt_close_device(tang_rt_device *device);

/// The device's name and its driver's, valid until it is closed.
TANG_RT_EXPORT const char *tang_rt_device_name(const tang_rt_device *device);
TANG_RT_EXPORT const char *tang_rt_device_driver(const tang_rt_device *device);

TANG_RT_EXPORT tang_rt_memory tang_rt_device_memory(tang_rt_device *device);
/// Gives memory that is kept for reuse back and starts the peak anew.
TANG_RT_EXPORT void tang_rt_reset_memory(tang_rt_device *device);

/// Overwrites the device's caches, so that the next run reads its inputs from
/// memory. An error where the runtime cannot do that: on all but cuda.
TANG_RT_EXPORT int tang_rt_flush_cache(tang_rt_device *device, char **error);

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// The target a bundle (directory or .tangb) was compiled for; the caller
/// frees it with tang_rt_free_string.
TANG_RT_EXPORT int tang_rt_bundle_target(const char *path, char **target,
                                         char **error);

/// Loads a bundle: checks the manifest and builds the kernels.
TANG_RT_EXPORT int tang_rt_load(tang_rt_device *device, const char *path,
                                tang_rt_program **program, char **error);

/// Loads a bundle from memory; nothing is kept of `files` after the call. With
/// `resolve`, host kernels come from it and kernels.so is not needed.
TANG_RT_EXPORT int tang_rt_load_files(tang_rt_device *device,
                                      const tang_rt_file *files, size_t count,
                                      tang_rt_resolver resolve, void *user,
                                      tang_rt_program **program, char **error);

TANG_RT_EXPORT void tang_rt_free_program(tang_rt_program *program);

/// What the manifest says; valid until the program is freed.
TANG_RT_EXPORT const char *tang_rt_target(const tang_rt_program *program);
TANG_RT_EXPORT const char *tang_rt_numerics(const tang_rt_program *program);
/// All of the manifest, as JSON (docs/Bundle.md).
TANG_RT_EXPORT const char *tang_rt_manifest(const tang_rt_program *program);

TANG_RT_EXPORT size_t tang_rt_num_functions(const tang_rt_program *program);
TANG_RT_EXPORT const char *tang_rt_function_name(const tang_rt_program *program,
                                                 size_t function);
/// The function called `name`; for null or "" `main` or the only one.
TANG_RT_EXPORT int tang_rt_find_function(const tang_rt_program *program,
                                         const char *name, size_t *function,
                                         char **error);
TANG_RT_EXPORT size_t tang_rt_num_inputs(const tang_rt_program *program,
                                         size_t function);
TANG_RT_EXPORT size_t tang_rt_num_outputs(const tang_rt_program *program,
                                          size_t function);
/// Out of range gives a spec with a null name.
TANG_RT_EXPORT tang_rt_spec tang_rt_input(const tang_rt_program *program,
                                          size_t function, size_t input);
TANG_RT_EXPORT tang_rt_spec tang_rt_output(const tang_rt_program *program,
                                           size_t function, size_t output);
/// Arithmetic operations of one call where the manifest states them, or 0.
TANG_RT_EXPORT double tang_rt_flops(const tang_rt_program *program,
                                    size_t function);

/// Ends every later call with an error after that many host instructions; 0
/// means no limit. For programs from strangers: a loop may have no end.
TANG_RT_EXPORT void tang_rt_set_step_limit(tang_rt_program *program,
                                           uint64_t steps);

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Calls a function. The inputs are checked against the manifest. `outputs`
/// has room for tang_rt_num_outputs tensors and gets freshly allocated ones
/// (data aligned to 64 bytes) that the caller frees with tang_rt_free_tensor.
TANG_RT_EXPORT int tang_rt_invoke(tang_rt_program *program, size_t function,
                                  const tang_rt_tensor *inputs, size_t count,
                                  tang_rt_tensor *outputs, char **error);

/// Frees a tensor made by the runtime and clears it.
TANG_RT_EXPORT void tang_rt_free_tensor(tang_rt_tensor *tensor);

/// Checks the inputs and uploads them, once, for many runs.
TANG_RT_EXPORT int tang_rt_prepare(tang_rt_program *program, size_t function,
                                   const tang_rt_tensor *inputs, size_t count,
                                   tang_rt_call **call, char **error);

/// Runs a prepared call on the device and waits for it; no data are moved
/// between host and device. *seconds, if not null, is the time that took, by
/// the device's own clock where there is one (cuda).
TANG_RT_EXPORT int tang_rt_run(tang_rt_call *call, double *seconds,
                               char **error);

/// Downloads the outputs of the last run, as tang_rt_invoke.
TANG_RT_EXPORT int tang_rt_call_outputs(tang_rt_call *call,
                                        tang_rt_tensor *outputs, char **error);

/// Bytes of the inputs plus the outputs of the last run.
TANG_RT_EXPORT uint64_t tang_rt_call_bytes(const tang_rt_call *call);

TANG_RT_EXPORT void tang_rt_free_call(tang_rt_call *call);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // TANG_RUNTIME_RUNTIME_H
