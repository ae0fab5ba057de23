// Some things have one place: one file, or one folder, and no other part of the code knows of them.
import path from 'node:path';
import { findLines } from './files.mjs';

const CPP = /^(src|wasm)\/.*\.(h|cpp)$/, CORE = /^src\/.*\.(h|cpp)$/, WEB = /^web\/.*\.ts$/;
const PAGE = /^web\/(?!cli\/[^/]+\.ts$|cli\/commands\/).*\.ts$/;
const NOWHERE = /^$/;
/** A name in the package's folder as bundlers find it: literal, in one `new URL`. */
const PART = /(?<!new URL\('\.\/[\w.-]+', )\bimport\.meta\b/;
const WEBGPU = /\bnavigator\.gpu\b|\bGPU(Device|Adapter|Buffer|Queue)\b/;

/** `pattern` may be in the files that `allowed` matches, and in one `unit` of them only (undefined: in any number). */
const PLACES = [
  { what: 'an include of xsimd', files: CPP, pattern: /#\s*include\s+[<"]xsimd/, allowed: /^src\/kernels\//, unit: 'file' },
  { what: 'an include of simdjson', files: CPP, pattern: /#\s*include\s+[<"]simdjson/, allowed: /^src\/formats\//, unit: 'file' },
  { what: 'a catch', files: CPP, pattern: /\bcatch\s*\(/, allowed: /^wasm\//, unit: 'file' },
  { what: 'Embind', files: CPP, pattern: /emscripten\/(bind|val)\.h/, allowed: /^wasm\// },
  { what: 'exit or abort', files: CORE, pattern: /\b(abort|exit|terminate|assert)\s*\(|#\s*include\s+<cassert>/, allowed: NOWHERE },
  { what: 'printing', files: CORE, pattern: /\bstd::c(out|err)\b|\b(f?printf|f?puts)\s*\(|#\s*include\s+<iostream>/, allowed: NOWHERE },
  { what: 'std::format', files: CPP, pattern: /#\s*include\s+<format>/, allowed: NOWHERE },
  { what: 'format() that may be std::format', files: /^(wasm|tests\/cpp)\/.*\.cpp$/, pattern: /(?<![\w:.>])format\(/, allowed: NOWHERE },
  { what: 'a fetch', files: WEB, pattern: /(?<![\w.])fetch\s*\(/, allowed: /./, unit: 'file' },
  { what: "an import of node's", files: WEB, pattern: /\bfrom 'node:/, allowed: /^web\/cli\/(?!page\/)/ },
  { what: 'more than the public API', files: /^web\/cli\/[^/]+\.ts$/, pattern: /from '\.\.\/(?!(index|nearest)\.js')/, allowed: NOWHERE },
  { what: 'more than the public API', files: /^web\/cli\/.+\//, pattern: /from '\.\.\/\.\.\/(?!index\.js')/, allowed: NOWHERE },
  { what: 'more than the public API', files: /^web\/pipeline\//, pattern: /from '\.\.\/(?!index\.js')/, allowed: NOWHERE },
  { what: 'import.meta', files: PAGE, pattern: /\bimport\.meta\b/, allowed: /^web\/(parts|worker-script)\.ts$/ },
  { what: "import.meta in another form than new URL('./name', import.meta.url)", files: PAGE, pattern: PART, allowed: NOWHERE },
  { what: 'code from a text', files: WEB, pattern: /\beval\s*\(|\bFunction\s*\(|\bimportScripts\b/, allowed: NOWHERE },
  { what: 'an address made of bytes', files: WEB, pattern: /\bcreateObjectURL\b|['"`](blob|data):/, allowed: /^web\/single-file\// },
  { what: 'the host of a CDN', files: WEB, pattern: /\b(jsdelivr|unpkg|esm\.(sh|run)|cdnjs|skypack|cdn\.)/, allowed: NOWHERE },
  { what: 'WebGPU', files: WEB, pattern: WEBGPU, allowed: /^web\/[^/]+\//, unit: 'folder' },
];

const isComment = (text) => /^\s*(\/\/|\*|\/\*)/.test(text);

export function checkPlaces(files) {
  return PLACES.flatMap(({ what, files: searched, pattern, allowed, unit }) => {
    const found = findLines(files.filter(({ name }) => searched.test(name)), pattern).filter(({ match }) => !isComment(match.input));
    const misplaced = found.filter(({ name }) => !allowed.test(name))
      .map(({ name, line }) => ({ name, line, message: `${what} does not belong here` }));
    const unitOf = ({ name }) => (unit === 'file' ? name : path.posix.dirname(name));
    const [first, ...others] = unit ? [...new Set(found.filter(({ name }) => allowed.test(name)).map(unitOf))] : [];
    return [...misplaced, ...others.map((name) => ({ name, message: `${what} is in ${first} already: it has one ${unit}` }))];
  });
}
