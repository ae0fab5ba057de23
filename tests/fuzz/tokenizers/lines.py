"""Random lines of text. A line depends on the seed, its number, and the vocabulary's pieces alone, on any machine and Python."""

from random import Random

# Blocks of Unicode, written out: what a category holds differs between versions of Python.
BLOCKS = {
    'ascii': [(0x20, 0x7E)],
    'lower': [(0x61, 0x7A)],
    'upper': [(0x41, 0x5A)],
    'digits': [(0x30, 0x39)],
    'other digits': [(0x660, 0x669), (0x966, 0x96F), (0xFF10, 0xFF19), (0x1D7CE, 0x1D7FF), (0x2150, 0x218B), (0x2460, 0x24FF), (0xB2, 0xB3),
                     (0xBC, 0xBE), (0x3007, 0x3007), (0x3021, 0x3029), (0x1F100, 0x1F10C), (0x2070, 0x2089), (0x10107, 0x10133)],
    'ascii punctuation': [(0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)],
    'punctuation': [(0xA1, 0xBF), (0x2010, 0x2027), (0x2030, 0x205E), (0x3001, 0x3003), (0x3008, 0x3020), (0xFE30, 0xFE6F), (0xFF01,
                    0xFF0F),
                    (0x55A, 0x55F), (0x5BE, 0x5C6), (0x600, 0x61F), (0x2E00, 0x2E5D), (0x1360, 0x1368), (0x10A50, 0x10A58)],
    'symbols': [(0x2100, 0x214F), (0x2190, 0x21FF), (0x2200, 0x22FF), (0x20A0, 0x20C0), (0x2300, 0x23FF), (0x2500, 0x25FF), (0x1D400,
                0x1D7CB),
                (0x3200, 0x33FF), (0xA7, 0xB6), (0x2C2, 0x2DF)],
    'spaces': [(0x20, 0x20)] * 6 + [(0x09, 0x0D), (0xA0, 0xA0), (0x85, 0x85), (0x1680, 0x1680), (0x180E, 0x180E), (0x2000, 0x200B),
                                    (0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x2060), (0x3000, 0x3000), (0xFEFF, 0xFEFF), (0x1C, 0x1F)],
    'one space': [(0x20, 0x20)],
    'line ends': [(0x0A, 0x0A), (0x0D, 0x0D), (0x0A, 0x0A)],
    'controls': [(0x00, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0xFFF9, 0xFFFD)],
    'marks': [(0x300, 0x36F)] * 3 + [(0x483, 0x489), (0x591, 0x5BD), (0x610, 0x61A), (0x64B, 0x65F), (0x900, 0x903), (0x93A, 0x94F),
              (0x1AB0, 0x1ACE),
                                     (0x1DC0, 0x1DFF), (0x20D0, 0x20F0), (0xFE00, 0xFE0F), (0xFE20, 0xFE2F), (0x302A, 0x302F), (0x3099,
                                     0x309A),
                                     (0x1D165, 0x1D172), (0xE0100, 0xE01EF), (0xE31, 0xE4E)],
    'latin': [(0xC0, 0x24F), (0x1E00, 0x1EFF), (0x250, 0x2AF), (0x2C60, 0x2C7F), (0xA720, 0xA7CA), (0x130, 0x131), (0xDF, 0xDF)],
    'greek': [(0x370, 0x3FF), (0x1F00, 0x1FFF), (0x3A3, 0x3A3), (0x3C2, 0x3C3)],
    'cyrillic': [(0x400, 0x4FF), (0x410, 0x44F)],
    'armenian, georgian': [(0x531, 0x587), (0x10A0, 0x10FF), (0x1C90, 0x1CBF)],
    'hebrew, arabic': [(0x5D0, 0x5EA), (0x620, 0x64A), (0x66E, 0x6D3), (0xFB1D, 0xFDFF), (0xFE70, 0xFEFC)],
    'indic': [(0x900, 0x97F), (0x980, 0x9FE), (0xA01, 0xA76), (0xB82, 0xBFA), (0xC00, 0xC7F), (0xD00, 0xD7F)],
    'south-east asian': [(0xE01, 0xE5B), (0xE81, 0xEDF), (0xF00, 0xFDA), (0x1000, 0x109F), (0x1780, 0x17F9), (0x1B00, 0x1B7C)],
    'hangul': [(0xAC00, 0xD7A3)],
    'jamo': [(0x1100, 0x11FF), (0x3130, 0x318E), (0xA960, 0xA97C), (0xD7B0, 0xD7FB), (0xFFA0, 0xFFDC)],
    'kana': [(0x3041, 0x3096), (0x30A1, 0x30FF), (0xFF65, 0xFF9F), (0x31F0, 0x31FF), (0x1B000, 0x1B122)],
    'cjk': [(0x4E00, 0x9FFF)] * 4 + [(0x3400, 0x4DBF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF), (0x2A700, 0x2EBE0), (0x2F800, 0x2FA1D),
                                     (0x30000, 0x323AF), (0x2E80, 0x2FD5)],
    'full width': [(0xFF01, 0xFF5E), (0xFFE0, 0xFFEE)],
    'compatible': [(0xFB00, 0xFB17), (0x2000, 0x206F), (0x3300, 0x33FF), (0x1F110, 0x1F202), (0x1D2B, 0x1DBF)],
    'emoji': [(0x1F300, 0x1F64F), (0x1F680, 0x1F6FF), (0x1F900, 0x1FAFF), (0x2600, 0x27BF)],
    'other scripts': [(0x13A0, 0x13FF), (0x1400, 0x16F0), (0x1800, 0x18AA), (0xA000, 0xA4C6), (0xAB30, 0xABBF), (0x10400, 0x1044F),
                      (0x10C80, 0x10CFF),
                      (0x1E900, 0x1E95F), (0x12000, 0x12399), (0x13000, 0x1342E), (0x2C00, 0x2D2D), (0x1200, 0x137C), (0x16E40, 0x16E9A)],
    'private use': [(0xE000, 0xF8FF), (0xF0000, 0xF00FF), (0x10FF00, 0x10FFFF)],
    'what tokenizers use': [(0x2581, 0x2581), (0x100, 0x143), (0x2581, 0x2581), (0x2420, 0x2424), (0xFFFD, 0xFFFD)],
    'any plane': [(0x0, 0xD7FF), (0xE000, 0xFFFF), (0x10000, 0x1FFFF), (0x20000, 0x10FFFF)],
}
NAMES = list(BLOCKS)
OFTEN = ['lower', 'lower', 'one space', 'one space', 'digits', 'ascii punctuation', 'marks', 'spaces', 'upper', 'latin']

CHUNKS = [
    "'s", "'S", "'t", "'re", "'RE", "'ve", "'m", "'ll", "'LL", "'d", "n't", "\u2019s", "\u2019ll", "'\u017f", ' do not', "don't", "I'm",
    "we'Ve",
    '\r\n', '\n\n', '\r\r\n', ' \n', '\t\t', '  ', '   ', '\u00a0 ', '\u3000', ' \u2581', '\u2581\u2581', '\n ', ' \r', '. ', ' .', ' ,',
    ' ?', '...',
    '\U0001F468\u200d\U0001F469\u200d\U0001F467', '\U0001F3F3\ufe0f\u200d\U0001F308', '\U0001F44D\U0001F3FD',
    '\U0001F1EB\U0001F1F7\U0001F1E9',
    '1\ufe0f\u20e3', '\u2764\ufe0f', '\U0001F3F4\U000E0067\U000E0062\U000E007F', '\u0915\u094d\u0937\u093f', '\u0e33', '\u1100\u1161\u11a8',
    '\ufb01', '\ufb01\u0301', '\u00bd', '\u33a5', '\u0130', '\u0049\u0307', '\u01c5', '\u1e9e', '\u03a3\u03b1\u03a3', '\u212b', '\u0344',
    '\u0958',
    'e\u0301', 'a\u0323\u0307', '\u1ea5\u0323', '\u0627\u0653', '\u304b\u3099', '\uff76\uff9e', '\ufdfa', '\u2126', '\u1fbe', '\u0f73',
    '\u0f71\u0f72',
    'the', ' the', 'The', ' of', 'ing', ' and', 'tion', 'hello', 'World', '123', '1234567', '3.14', '1,000', 'http://', '.com', '@',
    '#tag', '_', '__',
    '</w>', '##', '##ing', '\u0120the', '<0x0A>', '<0x', '</', '<s', '[CLS', '>>', '<|', '|>', '\u010a', 'x' * 40, 'ab' * 30, '=' * 20,
    '-' * 9,
]


def below(random, bound):
    return int(random.random() * bound)


def one_of(random, items):
    return items[below(random, len(items))]


def run_of_block(random):
    blocks = BLOCKS[one_of(random, OFTEN if random.random() < 0.5 else NAMES)]
    length = 1 + below(random, 1 + below(random, 12))
    if random.random() < 0.05:
        return one_character(random, blocks) * length
    return ''.join(one_character(random, blocks) for _ in range(length))


def one_character(random, blocks):
    first, last = blocks[below(random, len(blocks))]
    return chr(first + below(random, last + 1 - first))


def some_length(random):
    """In characters: mostly short, up to 200, a few long."""
    kind = random.random()
    if kind < 0.01:
        return below(random, 2000)
    return below(random, 200) if kind < 0.1 else below(random, 60)


def line_of(seed, number, pieces, specials):
    """The text of a line, and a list of random numbers in [0, 1) from which ids are made."""
    random = Random(seed << 40 | number)
    wanted, style = some_length(random), random.random()
    parts, length = [], 0
    while length < wanted:
        kind = random.random()
        if specials and kind < 0.04:
            part = one_of(random, specials)
        elif kind < 0.2:
            part = one_of(random, CHUNKS)
        elif pieces and (style < 0.2 or (style < 0.5 and kind < 0.6)):
            part = one_of(random, pieces)
        else:
            part = run_of_block(random)
        parts.append(part)
        length += len(part)
    draws = [random.random() for _ in range(below(random, 9))]
    return ''.join(parts), draws
