#include "kernels/attention.h"

#include "kernels/attention_backward.h"
#include "kernels/attention_stream.h"
#include "kernels/attention_tiles.h"

namespace webformer {

namespace {

/// Below so many rows for one key-value head, packing its keys costs more than it saves.
constexpr std::int64_t few_rows = 4;

}  // namespace

void attention(const AttentionArgs& args, Workspace& workspace) {
  AttentionPlace at;
  attention_part(args, at, workspace, std::numeric_limits<std::int64_t>::max());
}

bool attention_part(const AttentionArgs& args, AttentionPlace& at, Workspace& workspace, std::int64_t operations) {
  Scope scope(workspace);
  if (!args.weights && args.dropout <= 0 && args.query.rows * (args.heads / args.kv_heads) < few_rows) {
    attention_stream<Floats>(args, workspace);
    return true;
  }
  return TiledAttention<Floats>(args, workspace).run(at, operations);
}

void attention_backward(const AttentionArgs& args, const AttentionGradients& gradients, Workspace& workspace) {
  Scope scope(workspace);
  AttentionBackward<Floats>(args, gradients, workspace).run();
}

}  // namespace webformer
