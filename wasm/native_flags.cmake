# NATIVE_FLAGS: the flags of the native build's instruction set. xsimd takes the widest that they allow.
include(CheckCXXSourceRuns)

set(NATIVE_FLAGS "")
if(WEBFORMER_ARCH STREQUAL "auto")
  check_cxx_source_runs([[
    int main() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") ? 0 : 1; }
  ]] CPU_HAS_X86_64_V3)
  if(CPU_HAS_X86_64_V3)
    set(NATIVE_FLAGS -march=x86-64-v3)
  endif()
elseif(NOT WEBFORMER_ARCH STREQUAL "baseline")
  message(FATAL_ERROR "WEBFORMER_ARCH is '${WEBFORMER_ARCH}'; it must be auto or baseline.")
endif()
