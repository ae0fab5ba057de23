#pragma once
// The border to JavaScript: no exception crosses it. Every entry of the bindings runs its work in here.

#include <emscripten/val.h>

#include <functional>

namespace webformer {

/// {ok: what `work` returns}, or {error: {code, message, details}} made of what it throws.
emscripten::val guarded(const std::function<emscripten::val()>& work);

}  // namespace webformer
