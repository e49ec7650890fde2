/** Plain English: these have plainer replacements. A line with a quotation of a service ends with a comment `quoted`. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, it } from 'vitest';
import { type Node, nodesOf } from './source.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const SEARCHED = ['src', 'test', 'bin', 'bench', 'scripts', 'docs', 'completions', '*.md', '.github'];
const TEXT = new Set(['.md', '.mjs', '.ts', '.cjs', '.sh', '.json', '.txt', '.yml', '.snap']);

const AVOIDED = ['wish', 'desk', 'mend', 'glance', 'passage', 'whoever', 'anew', 'house', 'walls']; // quoted
const FORMS = new Set(AVOIDED.flatMap((word) => ['', 's', 'es', 'ed', 'ing'].map((ending) => word + ending)));
/** Not as a name, or a part of one, of a file, type, function, variable or key. */
const AVOIDED_IN_NAMES = new Set(['told', 'kept', 'held', 'stands', 'look', 'words', 'nobody', 'room']);
const ANY_AVOIDED = new RegExp([...AVOIDED_IN_NAMES].join('|'), 'i');
const QUOTED = /\bquoted(?: -->)?\s*$/;

/** `keptRows`, `kept_rows` and `KEPT_ROWS` are the words `kept` and `rows`. */
function splitName(text: string): readonly string[] {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/u);
}

function isAvoidedName(name: string): boolean {
  return splitName(name).some((word) => AVOIDED_IN_NAMES.has(word));
}

/** Names that a file declares: of variables, functions, parameters, types and keys. */
function* declaredNames(tree: Node): Generator<Node> {
  for (const node of nodesOf(tree)) {
    if (node.type === 'MemberExpression' || node.type === 'CallExpression') continue;
    const { id, key, params, left, argument } = node;
    for (const name of [id, key, left, argument, ...(Array.isArray(params) ? params : [])]) {
      const { type } = (name ?? {}) as Partial<Node>;
      if (type === 'Identifier' || type === 'PrivateIdentifier') yield name as Node;
    }
  }
}

function problemsIn(file: string): readonly string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const lines = text.split('\n');
  const found = lines.flatMap((line, at) =>
    QUOTED.test(line)
      ? []
      : splitName(line)
          .filter((word) => FORMS.has(word))
          .map((word) => `${file}:${at + 1} ${word}`),
  );
  if (isAvoidedName(basename(file))) found.push(`the name of ${file}`);
  // Most files have none of them anywhere, and need not be parsed.
  if (extname(file) !== '.ts' || !ANY_AVOIDED.test(text)) return found;
  for (const node of declaredNames(parseAst(text, { lang: 'ts' }) as unknown as Node)) {
    if (!isAvoidedName(String(node['name']))) continue;
    const line = text.slice(0, Number(node['start'])).split('\n').length;
    if (!QUOTED.test(lines[line - 1] ?? '')) found.push(`${file}:${line} the name ${node['name']}`);
  }
  return found;
}

it('no text and no name has a word with a plainer replacement', () => {
  const files = execFileSync('git', ['ls-files', '--', ...SEARCHED], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((file) => TEXT.has(extname(file)) && !file.endsWith('package-lock.json'));
  expect(files.length).toBeGreaterThan(1000);
  expect(files.flatMap(problemsIn)).toEqual([]);
});

it.each([
  ['src', 'function f(heldRows: number) {}', 'the name heldRows'], // quoted
  ['src', 'type A = { room_size: number };', 'the name room_size'], // quoted
])('it finds them in %s: %s', (_, text, expected) => {
  const names = [...declaredNames(parseAst(text, { lang: 'ts' }) as unknown as Node)];
  expect(names.map(({ name }) => `the name ${String(name)}`).filter((name) => isAvoidedName(name))).toEqual([expected]);
});
