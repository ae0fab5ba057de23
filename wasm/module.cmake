# The WebAssembly module: the core, the Embind bindings of this folder, and the flags of both.

# The growth of memory past 2 GB, and a stack that traps when it overflows instead of overwriting the static data.
set(WASM_MEMORY_FLAGS -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=4GB -Wl,--stack-first -sSTACK_SIZE=1MB)

# How pages and node load it: an ES module without eval, given its bytes or its compiled code by the caller.
set(WASM_MODULE_FLAGS -lembind -sMODULARIZE -sEXPORT_ES6 -sENVIRONMENT=web,worker,node -sDYNAMIC_EXECUTION=0
  -sINCOMING_MODULE_JS_API=wasmBinary,instantiateWasm,locateFile,print,printErr -sEXPORTED_RUNTIME_METHODS=HEAPU8,HEAPF32,HEAP32)

function(add_wasm_variant suffix)
  add_variant("${suffix}" -fwasm-exceptions ${ARGN})
  target_link_options(webformer_core${suffix} PUBLIC ${WASM_MEMORY_FLAGS})
  if(MODULE_SOURCES)
    add_executable(webformer${suffix} ${MODULE_SOURCES})
    set_target_properties(webformer${suffix} PROPERTIES SUFFIX .mjs)
    target_compile_options(webformer${suffix} PRIVATE ${WARNINGS})
    target_include_directories(webformer${suffix} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(webformer${suffix} PRIVATE webformer_core${suffix})
    target_link_options(webformer${suffix} PRIVATE ${WASM_MODULE_FLAGS})
  endif()
endfunction()
