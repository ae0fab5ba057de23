// The rooms of src/ include each other in one direction only, and by the path from src/.
import { findLines } from './files.mjs';

/** room -> the rooms that it may include, itself aside */
const MAY_INCLUDE = {
  core: [],
  kernels: ['core'],
  text: ['core'],
  formats: ['core', 'text'],
  model: ['core', 'kernels', 'formats'],
  decoding: ['core', 'kernels', 'formats', 'model', 'text'],
  training: ['core', 'kernels', 'formats', 'model', 'text'],
};

export function checkRooms(files) {
  const names = new Set(files.map(({ name }) => name));
  const sources = files.filter(({ name }) => /^src\/.*\.(h|cpp)$/.test(name));
  const strays = sources.filter(({ name }) => !(name.split('/')[1] in MAY_INCLUDE))
    .map(({ name }) => ({ name, message: `is in no room of src/ (${Object.keys(MAY_INCLUDE).join(', ')})` }));

  const includes = findLines(sources, /^\s*#\s*include\s+"([^"]+)"/).filter(({ match: [, target] }) => target !== 'simdjson.h');
  const wrong = includes.flatMap(({ name, line, match: [, target] }) => {
    const from = name.split('/')[1], to = target.split('/')[0];
    if (!names.has(`src/${target}`)) return [{ name, line, message: `"${target}" is no file of src/` }];
    if (from !== to && !MAY_INCLUDE[from]?.includes(to)) return [{ name, line, message: `${from} must not include ${to} ("${target}")` }];
    return [];
  });
  return [...strays, ...wrong];
}
