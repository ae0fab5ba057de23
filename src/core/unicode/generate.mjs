#!/usr/bin/env node
// Writes tables.cpp: the Unicode data of the tokenizers, packed. The reference tokenizers mix tables of several Unicode versions, so what
// they act on was measured over all code points and is read from a file of ranges (character_classes.json); the rest is node's own data.
//   node src/core/unicode/generate.mjs path/to/character_classes.json
import { readFileSync, writeFileSync } from 'node:fs';

const [input] = process.argv.slice(2);
if (!input || Number(process.versions.unicode.split('.')[0]) !== 17) {
  console.error('usage: node generate.mjs character_classes.json, with a node whose ICU has Unicode 17');
  process.exit(2);
}
const measured = JSON.parse(readFileSync(input, 'utf8'));
const CODE_POINTS = 0x110000;
const isSurrogate = (c) => c >= 0xd800 && c <= 0xdfff;
const text = String.fromCodePoint;

/** '41-5A' or '5F' -> every code point of it */
function* expand(ranges) {
  for (const range of ranges) {
    const [first, last = first] = range.split('-').map((hex) => parseInt(hex, 16));
    for (let c = first; c <= last; c++) yield c;
  }
}
const measuredSet = (name) => new Set(expand(measured.sets[name]));

// ---- general categories of Unicode 16 -------------------------------------------------------------------------------------------------
const CATEGORIES = [
  'Cn',
  'Lu',
  'Ll',
  'Lt',
  'Lm',
  'Lo',
  'Mn',
  'Mc',
  'Me',
  'Nd',
  'Nl',
  'No',
  'Pc',
  'Pd',
  'Ps',
  'Pe',
  'Pi',
  'Pf',
  'Po',
  'Sm',
  'Sc',
  'Sk',
  'So',
  'Zs',
  'Zl',
  'Zp',
  'Cc',
  'Cf',
  'Co',
  'Cs',
];
/** Symbols that came with Unicode 17. Its letters, marks, numbers and punctuation are told by the measured sets. */
const NEWER_SYMBOLS = new Set(
  expand([
    '20C1',
    '2B96',
    'FBC3-FBD2',
    'FD90-FD91',
    'FDC8-FDCE',
    '10ED1-10ED8',
    '1CCFA-1CCFC',
    '1CEBA-1CED0',
    '1CEE0-1CEF0',
    '1F6D8',
    '1F777-1F77A',
    '1F8D0-1F8D8',
    '1FA54-1FA57',
    '1FA8A',
    '1FA8E',
    '1FAC8',
    '1FACD',
    '1FAEA',
    '1FAEF',
    '1FBFA',
  ]),
);

function categoriesOfUnicode16() {
  const tests = CATEGORIES.map((name) => new RegExp(`^\\p{${name}}$`, 'u'));
  const sets = Object.fromEntries(['L', 'M', 'N', 'P'].map((letter) => [letter, measuredSet(`regex \\p{${letter}}`)]));
  const result = new Uint8Array(CODE_POINTS);
  for (let c = 0; c < CODE_POINTS; c++) {
    if (isSurrogate(c)) {
      result[c] = CATEGORIES.indexOf('Cs');
      continue;
    }
    const now = tests.findIndex((test) => test.test(text(c)));
    const set = sets[CATEGORIES[now][0]];
    result[c] = NEWER_SYMBOLS.has(c) || (set && !set.has(c)) ? 0 : now;
  }
  result[0x295] = CATEGORIES.indexOf('Ll'); // a letter without case since Unicode 17
  for (const name of ['L', 'M', 'N', 'P', 'Lu', 'Ll']) {
    const want = measuredSet(`regex \\p{${name}}`);
    for (let c = 0; c < CODE_POINTS; c++) {
      if (CATEGORIES[result[c]].startsWith(name) !== want.has(c)) throw new Error(`\\p{${name}}: U+${c.toString(16)}`);
    }
  }
  return result;
}

const categories = categoriesOfUnicode16();
const inUnicode16 = (set) => new Set([...set].filter((c) => categories[c] !== 0));

// ---- sets -------------------------------------------------------------------------------------------------------------------------------
const matching = (pattern) => {
  const test = new RegExp(`^${pattern}$`, 'u');
  const found = new Set();
  for (let c = 0; c < CODE_POINTS; c++) if (!isSurrogate(c) && test.test(text(c))) found.add(c);
  return found;
};
/** Names as in core/unicode.h. */
const SETS = {
  regex_word: measuredSet('regex \\w'),
  numeric: measuredSet('Digits isolates'),
  accent: measuredSet('StripAccents removes'),
  nonspacing_accent: matching('\\p{Mn}'),
  punctuation: measuredSet('BertPreTokenizer isolates (punctuation)'),
  bert_removed: measuredSet('BertNormalizer clean_text removes'),
  cjk_ideograph: measuredSet('BertNormalizer handle_chinese_chars puts spaces around'),
  // Grapheme clusters (UAX 29). What only joins characters that are six bytes and more together is left out: see text/charsmap.h.
  grapheme_extend: matching('[\\p{Grapheme_Extend}\\p{Emoji_Modifier}\\u200d]'),
};
for (const c of [0x1734, 0x1171e]) SETS.nonspacing_accent.add(c);  // spacing marks since
for (const c of SETS.nonspacing_accent) {  // what BertNormalizer leaves as it is came after its tables
  const kept = measured.mappings_unlike_unicode_14['BertNormalizer strip_accents'][c.toString(16).toUpperCase()];
  if (kept || !SETS.accent.has(c)) SETS.nonspacing_accent.delete(c);
}
// JavaScript has no property for these two of the grapheme rules: they are what its segmenter keeps together.
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const clusters = (s) => [...segmenter.segment(s)].length;
SETS.grapheme_spacing_mark = new Set(
  [...Array(CODE_POINTS).keys()].filter((c) => !isSurrogate(c) && !SETS.grapheme_extend.has(c) && clusters(`a${text(c)}`) === 1),
);
SETS.grapheme_prepend = new Set([...Array(CODE_POINTS).keys()].filter((c) => !isSurrogate(c) && clusters(`${text(c)}a`) === 1));
SETS.grapheme_control = new Set(
  [...matching('[\\p{Cc}\\p{Zl}\\p{Zp}\\p{Cf}]')].filter((c) => !SETS.grapheme_extend.has(c) && !SETS.grapheme_prepend.has(c)),
);
for (const script of ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Latin', 'Greek', 'Cyrillic', 'Arabic', 'Hebrew', 'Thai', 'Devanagari']) {
  SETS[`script_${script.toLowerCase()}`] = inUnicode16(matching(`\\p{Script=${script}}`));
}
SETS.other_lowercase = inUnicode16(matching('(?=\\p{Lowercase})\\P{Ll}'));
SETS.other_alphabetic = inUnicode16(matching('(?=\\p{Alphabetic})[^\\p{L}\\p{Nl}]'));

/** Script of each code point, by number. Numbers are nobody's but for the first, which core/unicode.h names. */
const NAMED_SCRIPTS = ['Common', 'Inherited', 'Han', 'Hiragana', 'Katakana'];
const OTHER_SCRIPTS = `Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Bhaiksuki Bopomofo
  Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham Cherokee Coptic Cuneiform Cypriot Cyrillic Deseret
  Devanagari Duployan Egyptian_Hieroglyphs Elbasan Ethiopic Georgian Glagolitic Gothic Grantha Greek Gujarati Gurmukhi Hangul Hanunoo Hatran
  Hebrew Imperial_Aramaic Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada Kayah_Li Kharoshthi Khmer Khojki Khudawadi
  Lao Latin Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian Mahajani Malayalam Mandaic Manichaean Marchen Meetei_Mayek Mende_Kikakui
  Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani Myanmar Nabataean New_Tai_Lue Newa Nko Ogham Ol_Chiki Old_Hungarian
  Old_Italic Old_North_Arabian Old_Permic Old_Persian Old_South_Arabian Old_Turkic Oriya Osage Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau
  Phags_Pa Phoenician Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham SignWriting Sinhala Sora_Sompeng Sundanese
  Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet Takri Tamil Tangut Telugu Thaana Thai Tibetan Tifinagh Tirhuta Ugaritic Vai
  Warang_Citi Yi`.split(/\s+/); // those of Unicode 9, as SentencePiece knows them; what is younger is Common there
function scripts() {
  const tests = [...NAMED_SCRIPTS, ...OTHER_SCRIPTS].map((name) => new RegExp(`^\\p{Script=${name}}$`, 'u'));
  const isAssigned = /^\P{Cn}$/u;
  const result = new Uint8Array(CODE_POINTS);
  for (let c = 0; c < CODE_POINTS; c++) {
    if (isSurrogate(c)) continue;
    // What is not assigned goes with what is before it, which makes fewer runs.
    result[c] = isAssigned.test(text(c)) ? Math.max(0, tests.findIndex((test) => test.test(text(c)))) : result[c - 1];
  }
  return result;
}

// ---- mappings ---------------------------------------------------------------------------------------------------------------------------
function lowercase() {
  const map = new Map();
  for (let c = 0; c < CODE_POINTS; c++) {
    const lower = isSurrogate(c) ? '' : text(c).toLowerCase();
    if (lower && lower !== text(c) && [...lower].length === 1) map.set(c, lower.codePointAt(0));
  }
  for (const [from, to] of Object.entries(measured.mappings_unlike_unicode_14.Lowercase)) map.set(parseInt(from, 16), parseInt(to, 16));
  for (const [from, to] of map) if (from === to) map.delete(from);
  return map;
}

/** Simple case folding where it is not the lower case: what /iu takes for the same as a smaller lower-case letter. */
function foldingBeyondLowercase(lower) {
  const map = new Map();
  for (let c = 0x80; c < CODE_POINTS; c++) {
    if (isSurrogate(c)) continue;
    const own = lower.get(c) ?? c;
    for (const candidate of new Set([text(c).toUpperCase(), text(c).toUpperCase().toLowerCase(), text(c).toLowerCase()])) {
      if ([...candidate].length !== 1) continue;
      const other = candidate.codePointAt(0);
      const folded = lower.get(other) ?? other;
      if (
        folded !== own &&
        new RegExp(`^${text(folded)}$`, 'iu').test(text(c)) &&
        text(folded).toUpperCase().toLowerCase() === text(folded)
      )
        map.set(c, folded);
    }
  }
  return map;
}

/** What was added to the normal forms after the reference's tables, beside what `measured` lists: Unicode 15 to 17. */
const NEWER_DECOMPOSITIONS = new Set(
  expand(['A7F1', '105C9', '105E4', '11383-113C8', '16121-16128', '16D68-16D6A', '1CCD6-1CCF9', '1E030-1E06D']),
);
const isHangul = (c) => c >= 0xac00 && c <= 0xd7a3;

function decompositions(form) {
  const map = new Map();
  const kept = measured.mappings_unlike_unicode_14[form];
  for (let c = 0; c < CODE_POINTS; c++) {
    if (isSurrogate(c) || isHangul(c) || NEWER_DECOMPOSITIONS.has(c) || kept[c.toString(16).toUpperCase()]) continue;
    const result = text(c).normalize(form);
    if (result !== text(c))
      map.set(
        c,
        [...result].map((s) => s.codePointAt(0)),
      );
  }
  return map;
}

/** First and second of a pair -> what they compose to. */
function compositions(canonical) {
  const list = [];
  for (const [c, parts] of canonical) {
    if (parts.length < 2 || text(...parts).normalize('NFC') !== text(c)) continue;
    const first = text(...parts.slice(0, -1)).normalize('NFC');
    if ([...first].length !== 1) throw new Error(`U+${c.toString(16)} is no composition of two`);
    list.push([first.codePointAt(0), parts.at(-1), c]);
  }
  return list.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
}

/** Combining classes as ranks from 1: only their order matters, and normalization shows it. */
function combiningRanks() {
  const isHigher = (a, b) =>
    text(0x61, a, b).normalize('NFD') === text(0x61) + text(b).normalize('NFD') + text(a).normalize('NFD') && a !== b;
  const LOWEST = 0x334,
    HIGHEST = 0x345; // of class 1 and 240
  const combining = [...SETS.accent]
    .filter((c) => text(c).normalize('NFD') === text(c))
    .filter((c) => c === LOWEST || c === HIGHEST || isHigher(c, LOWEST) || isHigher(HIGHEST, c));
  const order = []; // one mark of each class, ascending
  for (const c of combining) {
    const at = order.findIndex((other) => !isHigher(c, other));
    if (at < 0) order.push(c);
    else if (isHigher(order[at], c)) order.splice(at, 0, c);
  }
  return new Map(combining.map((c) => [c, 1 + order.findIndex((other) => !isHigher(c, other))]));
}

// ---- packing ----------------------------------------------------------------------------------------------------------------------------
const varint = (n) => {
  const out = [];
  while (n > 127) {
    out.push((n & 127) | 128);
    n = Math.floor(n / 128);
  }
  return [...out, n];
};
const zigzag = (n) => varint(n < 0 ? -n * 2 - 1 : n * 2);

function runsOf(valueOf) {
  const runs = [];
  for (let c = 0; c < CODE_POINTS; c++) {
    const value = valueOf(c);
    if (runs.length && runs.at(-1).value === value) runs.at(-1).length++;
    else runs.push({ value, length: 1 });
  }
  return runs;
}
/** (length, value) of all code points */
const packRuns = (valueOf) => runsOf(valueOf).flatMap(({ value, length }) => [...varint(length), value]);
/** (gap, length) of a set's ranges */
function packSet(set) {
  const runs = runsOf((c) => set.has(c));
  if (runs[0].value) runs.unshift({ length: 0 });
  if (!runs.at(-1).value) runs.pop();
  return runs.flatMap(({ length }) => varint(length));
}
/** (gap, count, step, difference) of mappings by one difference each */
function packMap(map) {
  const runs = [];
  for (const [c, to] of [...map].sort((a, b) => a[0] - b[0])) {
    const run = runs.at(-1);
    const step = run && c - run.last;
    if (run && to - c === run.difference && step <= 2 && (run.count === 1 || step === run.step))
      Object.assign(run, { last: c, step, count: run.count + 1 });
    else runs.push({ first: c, last: c, step: 1, count: 1, difference: to - c });
  }
  let end = 0;
  return runs.flatMap(({ first, last, step, count, difference }) => {
    const out = [...varint(first - end), ...varint(count), step, ...zigzag(difference)];
    end = last;
    return out;
  });
}
/** (gap, length, then each code point as the difference to the one before) */
function packStrings(map) {
  let end = 0,
    before = 0;
  return [...map]
    .sort((a, b) => a[0] - b[0])
    .flatMap(([c, parts]) => {
      const out = [...varint(c - end), parts.length];
      for (const part of parts) {
        out.push(...zigzag(part - before));
        before = part;
      }
      end = c;
      return out;
    });
}
function packPairs(list) {
  let before = 0,
    result = 0;
  return list.flatMap(([first, second, composed]) => {
    const out = [...varint(first - before), ...varint(second), ...zigzag(composed - result)];
    before = first;
    result = composed;
    return out;
  });
}

const scriptOf = scripts();
const lower = lowercase();
const canonical = decompositions('NFD');
const compatibility = new Map([...decompositions('NFKD')].filter(([c, parts]) => canonical.get(c)?.join() !== parts.join()));
const ranks = combiningRanks();
const names = Object.keys(SETS);
const packedSets = names.map((name) => packSet(SETS[name]));
const starts = [0];
for (const packed of packedSets) starts.push(starts.at(-1) + packed.length);

function array(name, type, values) {
  const lines = [];
  let line = ' ';
  for (const value of values) {
    if (line.length + String(value).length + 2 > 140) {
      lines.push(line);
      line = ' ';
    }
    line += ` ${value},`;
  }
  const size = values.length;
  return `const ${type} ${name}[${size}] = {\n${[...lines, line].join('\n')}\n};\nconst std::size_t ${name}_size = ${size};\n`;
}
const output = `// Generated by generate.mjs from measured character classes and Unicode data. The formats are described in tables.h.
#include "core/unicode/tables.h"

namespace webformer::unicode_tables {

${array(
  'categories',
  'std::uint8_t',
  packRuns((c) => categories[c]),
)}
${array(
  'scripts',
  'std::uint8_t',
  packRuns((c) => scriptOf[c]),
)}
${array('sets', 'std::uint8_t', packedSets.flat())}
${array('set_starts', 'std::uint16_t', starts)}
${array('lowercase', 'std::uint8_t', packMap(lower))}
${array('folding', 'std::uint8_t', packMap(foldingBeyondLowercase(lower)))}
${array(
  'combining_ranks',
  'std::uint8_t',
  packRuns((c) => ranks.get(c) ?? 0),
)}
${array('canonical', 'std::uint8_t', packStrings(canonical))}
${array('compatibility', 'std::uint8_t', packStrings(compatibility))}
${array('compositions', 'std::uint8_t', packPairs(compositions(canonical)))}
}  // namespace webformer::unicode_tables
`;
writeFileSync(new URL('tables.cpp', import.meta.url), output);
console.log(`${names.length} sets: ${names.join(', ')}; ${new Set(ranks.values()).size} combining classes`);
