#pragma once
// The contract of this folder: spans in, spans out. Kernels trust their caller: shapes were checked one level above,
// where an error can name the weight. Each has a naive twin in reference.h, the oracle of its tests.

#include "kernels/attention.h"
#include "kernels/cross_entropy.h"
#include "kernels/elementwise.h"
#include "kernels/weights.h"
