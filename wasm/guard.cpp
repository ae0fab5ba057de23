#include "wasm/guard.h"

#include <new>
#include <stdexcept>

#include "core/error.h"
#include "wasm/values.h"

using emscripten::val;

namespace webformer {

namespace {

val failure(Code code, std::string_view message) {
  val error = val::object();
  error.set("code", to_js(name(code)));
  error.set("message", to_js(message));
  val outcome = val::object();
  outcome.set("error", error);
  return outcome;
}

val failure(const Error& error) {
  val outcome = failure(error.code(), error.message());
  if (error.details().empty()) return outcome;
  val details = val::object();
  for (const auto& [key, value] : error.details()) details.set(key, to_js(value));
  outcome["error"].set("details", details);
  return outcome;
}

constexpr std::string_view no_memory = "the memory that WebAssembly can have is used up";

}  // namespace

val guarded(const std::function<val()>& work) {
  try {
    val outcome = val::object();
    outcome.set("ok", work());
    return outcome;
  } catch (const Error& error) {
    return failure(error);
  } catch (const std::bad_alloc&) {
    return failure(Code::out_of_memory, no_memory);
  } catch (const std::length_error&) {  // what a vector beyond 2 GB throws on wasm32
    return failure(Code::out_of_memory, no_memory);
  } catch (const std::exception& error) {
    return failure(Code::internal_error, error.what());
  } catch (...) {
    return failure(Code::internal_error, "something that is no std::exception was thrown");
  }
}

}  // namespace webformer
