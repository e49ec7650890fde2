/**
 * npm run words [-- <path>…]: finds words that have a plainer replacement. The first list is forbidden everywhere, the second as (part of)
 * a name of a file, type, function, variable or key. For a quotation of a service, end the line with a comment `quoted`.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

const ANYWHERE = new Set(
  ['wish', 'desk', 'mend', 'glance', 'passage', 'whoever', 'anew', 'house', 'walls'].flatMap((word) => [
    word,
    ...['s', 'es', 'ed', 'ing'].map((ending) => word + ending),
  ]),
);
const IN_NAMES = new Set(['told', 'kept', 'held', 'stands', 'look', 'words', 'nobody', 'room']);
const QUOTED = /\bquoted(?: -->)?\s*$/;
const NAME_LISTS = 'scripts/words.mjs';
const TEXT = new Set(['.md', '.mjs', '.ts', '.cjs', '.sh', '.json', '.txt', '.yml', '.snap']);

/** `keptRows`, `kept_rows` and `KEPT_ROWS` are the words `kept` and `rows`. */
function wordsOf(text) {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/u);
}

/** Names that a file declares: of variables, functions, parameters, types and keys. */
function* declaredNames(node, parent = {}) {
  if (Array.isArray(node)) {
    for (const child of node) yield* declaredNames(child, parent);
    return;
  }
  if (node === null || typeof node !== 'object') return;
  const isName = (node.type === 'Identifier' || node.type === 'PrivateIdentifier') && isDeclaredBy(parent, node);
  if (isName) yield node;
  for (const [key, value] of Object.entries(node)) if (key !== 'parent') yield* declaredNames(value, node);
}

function isDeclaredBy(parent, node) {
  if (parent.type === 'MemberExpression' || parent.type === 'CallExpression') return false;
  return (
    parent.id === node ||
    parent.key === node ||
    parent.params?.includes(node) ||
    parent.left === node ||
    parent.argument === node
  );
}

function problemsIn(file) {
  const text = readFileSync(file, 'utf8');
  const lines = text.split('\n');
  const found = lines.flatMap((line, at) =>
    QUOTED.test(line)
      ? []
      : wordsOf(line)
          .filter((word) => ANYWHERE.has(word))
          .map((word) => `${file}:${at + 1} ${word}`),
  );
  const inPath = wordsOf(basename(file)).filter((word) => IN_NAMES.has(word));
  found.push(...inPath.map((word) => `${file} is named ${word}`));
  if (extname(file) !== '.ts') return found;
  for (const node of declaredNames(parseAst(text, { lang: 'ts' }))) {
    if (!wordsOf(node.name).some((word) => IN_NAMES.has(word))) continue;
    const line = text.slice(0, node.start).split('\n').length;
    if (!QUOTED.test(lines[line - 1] ?? '')) found.push(`${file}:${line} the name ${node.name}`);
  }
  return found;
}

const [...paths] = process.argv.slice(2);
const searched =
  paths.length > 0 ? paths : ['src', 'test', 'bin', 'bench', 'scripts', 'docs', 'completions', '*.md', '.github'];
const files = execFileSync('git', ['ls-files', '--', ...searched], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => TEXT.has(extname(file)) && file !== NAME_LISTS && !file.endsWith('package-lock.json'));
const problems = [...new Set(files.flatMap(problemsIn))];
process.stdout.write(problems.map((problem) => `${problem}\n`).join(''));
process.stderr.write(`${problems.length} private words in ${files.length} files\n`);
process.exitCode = problems.length > 0 ? 1 : 0;
