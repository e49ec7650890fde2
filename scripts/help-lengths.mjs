// node scripts/help-lengths.mjs: prints the number of lines of each command's help at 80 columns, longest first.
import { createRequire } from 'node:module';

const LONGEST = 40;
const { help } = createRequire(import.meta.url)('../dist/prepared.json');
const groups = new Set(Object.keys(help).map((id) => id.split(' ')[0]));
const pages = Object.entries(help).filter(([id]) => id.includes(' ') || (groups.has(id) && !isGroup(id)));

function isGroup(name) {
  return name === '' || Object.keys(help).some((id) => id.startsWith(`${name} `));
}

const lengths = pages.map(([id, text]) => [text.trimEnd().split('\n').length, id]).sort(([a], [b]) => b - a);
const long = lengths.filter(([lines]) => lines > LONGEST);
for (const [lines, id] of lengths) console.log(`${String(lines).padStart(4)} ${id}`);
console.log(`${long.length} of ${lengths.length} are longer than ${LONGEST} lines`);
