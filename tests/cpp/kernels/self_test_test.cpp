#include "kernels/self_test.h"

#include "support.h"

TEST_CASE("the machine that runs the tests multiplies right") { CHECK(webformer::simd_self_test()); }
