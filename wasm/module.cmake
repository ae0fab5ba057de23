# The WebAssembly module: the core, the Embind bindings of this folder, and the flags of both.

# The growth of memory past 2 GB, and a stack that traps when it overflows instead of overwriting the static data.
set(WASM_MEMORY_FLAGS -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=4GB -Wl,--stack-first -sSTACK_SIZE=1MB)

# How pages and node load it: an ES module without eval, given its compiled code by the caller, so that node needs nothing of its own.
set(WASM_MODULE_FLAGS -lembind -sMODULARIZE -sEXPORT_ES6 -sENVIRONMENT=web,worker -sDYNAMIC_EXECUTION=0
  -sINCOMING_MODULE_JS_API=instantiateWasm,print,printErr -sEXPORTED_RUNTIME_METHODS=HEAPU8)

# The names of functions, by which wasm/split.mjs parts the module; the parts that are shipped have none.
list(APPEND WASM_MODULE_FLAGS --profiling-funcs -Wl,--no-demangle)

# A page downloads all of it, so what is not in the loops over numbers and text is compiled for size.
set(FOR_SPEED "/src/(core|text)/" "/src/formats/(dtype|dequantize|json_scan)" "/src/decoding/(sampling|processors)"
  "/src/model/(embeddings|weight_plan)")
set(FOR_SIZE ${CORE_SOURCES} ${MODULE_SOURCES})
list(JOIN FOR_SPEED "|" FOR_SPEED)
list(FILTER FOR_SIZE EXCLUDE REGEX "${FOR_SPEED}")
set_source_files_properties(${FOR_SIZE} PROPERTIES COMPILE_OPTIONS -Oz)
set_source_files_properties(src/text/pack.cpp src/text/trace.cpp src/text/pattern_parse.cpp src/text/pattern_names.cpp
  PROPERTIES COMPILE_OPTIONS -Oz)

file(GLOB FOR_SIZE src/text/training/*.cpp)
list(FILTER FOR_SIZE EXCLUDE REGEX "/piece_lattice")
set_source_files_properties(${FOR_SIZE} PROPERTIES COMPILE_OPTIONS -Oz)

add_library(webformer_bindings OBJECT ${MODULE_SOURCES})
target_compile_options(webformer_bindings PRIVATE ${WARNINGS})
target_include_directories(webformer_bindings PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(webformer_bindings PRIVATE webformer_settings)

function(add_wasm_variant suffix)
  add_variant("${suffix}" ${ARGN})
  target_link_options(webformer_core${suffix} PUBLIC ${WASM_MEMORY_FLAGS})
  add_executable(webformer${suffix})
  set_target_properties(webformer${suffix} PROPERTIES SUFFIX .mjs LINKER_LANGUAGE CXX)
  target_link_libraries(webformer${suffix} PRIVATE webformer_core${suffix} webformer_bindings)
  target_link_options(webformer${suffix} PRIVATE ${WASM_MODULE_FLAGS} -Oz)
endfunction()
