#!/usr/bin/env bash
# Installs what building, testing and running Tang needs and this machine lacks (Debian's packages; asks nothing).
# Does nothing where everything is there. Works as root or with sudo. TANG_SKIP_INSTALL=1 skips it.
set -euo pipefail

PACKAGES=(
  # building: LLVM and MLIR 22 as shared libraries, and what their CMake files look for
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools clang-22 lld-22
  cmake ninja-build ccache zlib1g-dev libzstd-dev libxml2-dev libffi-dev nlohmann-json3-dev
  # the sanitizer build and the formatting check
  libclang-rt-22-dev clang-format-22
  # testing
  libgtest-dev python3 python3-numpy python3-psutil
  # OpenCL: the loader and a device that runs on the CPU
  ocl-icd-opencl-dev pocl-opencl-icd
  # Vulkan and Metal: headers, loader and a device that runs on the CPU, SPIRV-Cross, and validators
  libvulkan-dev mesa-vulkan-drivers libspirv-cross-c-shared-dev spirv-tools glslang-tools
  # WebGPU: a browser for pages, whose device on the CPU serves Dawn as well
  chromium
)
# Node.js may come from elsewhere, with its own npm, which Debian's packages would be at odds with.
command -v node >/dev/null || PACKAGES+=(nodejs)
command -v npm >/dev/null || PACKAGES+=(npm)

# WebGPU under Node.js (Dawn's binding), and what drives the browser in tests: into the build folder, where the runtime
# looks for it. Without them the target webgpu is unsupported, which is no failure here.
NPM_PACKAGES=(webgpu@0.6.2 playwright-core@1.65.1)
install_npm_packages() {
  local build=${TANG_BUILD_DIR:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/build} package
  for package in "${NPM_PACKAGES[@]}"; do
    [[ -e "$build/node_modules/${package%@*}/package.json" ]] && continue
    command -v npm >/dev/null || { echo "install-deps.sh: no npm, so no $package" >&2; return 0; }
    echo "installing: $package (npm)"
    mkdir -p "$build"
    timeout 300 npm install --prefix "$build" --no-save --no-package-lock --no-audit --no-fund --loglevel=error \
      "${NPM_PACKAGES[@]}" </dev/null >/dev/null || echo "install-deps.sh: npm cannot install ${NPM_PACKAGES[*]}; no target webgpu" >&2
    return 0
  done
}

[[ "${TANG_SKIP_INSTALL:-0}" == 1 ]] && exit 0
trap 'status=$?; ((status)) || install_npm_packages; exit $status' EXIT
if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  echo "install-deps.sh: this is no Debian; install by hand what is listed in $0" >&2
  exit 0
fi

missing=()
for package in "${PACKAGES[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ "$status" == *installed* && "$status" != *not-installed* ]] || missing+=("$package")
done
((${#missing[@]})) || exit 0

as_root=()
if ((EUID)); then
  command -v sudo >/dev/null || { echo "install-deps.sh: missing ${missing[*]}, and neither root nor sudo" >&2; exit 1; }
  as_root=(sudo)
fi
echo "installing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt_get() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=5 -o DPkg::Lock::Timeout=300 -qq "$@"; }
apt_get update
apt_get install -y --no-install-recommends "${missing[@]}" </dev/null >/dev/null
