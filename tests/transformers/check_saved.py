"""The other side of tests/transformers/run.mjs: models that webformer saved, under transformers, and trained on there.

    python check_saved.py DIR

DIR has a folder for each model, with `expected.json`: inputs, the logits that webformer gave, and those with the adapter in `adapter/`.
Writes what it found to `found.json` there, and the model after a step of AdamW to `again/`.
"""
import json, pathlib, sys

import torch
import transformers

try:
    import peft
except ImportError:
    peft = None


def logits_of(model, inputs):
    with torch.no_grad():
        return model(**{name: torch.tensor(ids) for name, ids in inputs.items()}).logits


def distance(found, expected):
    return (found.flatten() - torch.tensor(expected)).abs().max().item()


def check(folder):
    expected = json.loads((folder / "expected.json").read_text())
    config = json.loads((folder / "config.json").read_text())
    class_of = getattr(transformers, config["architectures"][0])
    model, report = class_of.from_pretrained(folder, output_loading_info=True)
    problems = {name: sorted(map(str, found)) for name, found in report.items() if found}
    inputs = expected["inputs"]
    found = {"problems": problems, "distance": distance(logits_of(model.eval(), inputs), expected["logits"])}
    if peft:
        adapted = peft.PeftModel.from_pretrained(class_of.from_pretrained(folder), folder / "adapter")
        found["adapter"] = distance(logits_of(adapted.eval(), inputs), expected["adapter"])

    if (folder / "tokenizer.json").exists():
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        found["ids"] = tokenizer(expected["text"])["input_ids"]

    model.train()
    labels = torch.tensor(expected["labels"])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model(**{name: torch.tensor(ids) for name, ids in inputs.items()}, labels=labels).loss.backward()
    optimizer.step()
    model.save_pretrained(folder / "again")
    # What is read again: a class may have tied weights that drifted apart, of which it saves one.
    found["logits"] = logits_of(class_of.from_pretrained(folder / "again").eval(), inputs).flatten().tolist()
    (folder / "found.json").write_text(json.dumps(found))


for folder in sorted(path.parent for path in pathlib.Path(sys.argv[1]).glob("*/expected.json")):
    check(folder)
