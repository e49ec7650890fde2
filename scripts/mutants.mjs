/**
 * The mutants of `npm run test:mutants`: single wrong changes to the code of orders, tokens, matchers, signatures and prices. A seed picks
 * some of all that are possible.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { parseAst } from 'rolldown/parseAst';
import { root } from './setup.mjs';

/** Files and folders under src/. */
const AREAS = {
  orders: [
    'features/trade/orders',
    'features/trade/order-text.ts',
    'features/trade/commands/buy-sell.ts',
    'features/trade/commands/close.ts',
    'features/trade/commands/entry-buy-sell.ts',
    'features/trade/commands/journal-settle.ts',
    'features/trade/commands/orders-cancel.ts',
    'features/trade/commands/orders-update.ts',
    'features/trade/commands/positions-update.ts',
    'store/order-journal.ts',
  ],
  tokens: [
    'features/oauth/authorization.ts',
    'features/oauth/authorizer.ts',
    'features/oauth/login-store.ts',
    'features/oauth/login.ts',
    'features/oauth/loopback-listener.ts',
    'features/oauth/revocation.ts',
    'features/oauth/token-command.ts',
    'features/oauth/token-endpoint.ts',
    'features/oauth/token-input.ts',
    'features/oauth/token-manager.ts',
    'store/credentials.ts',
    'store/secret-store.ts',
  ],
  matchers: [
    'features/alerts/matcher-arguments.ts',
    'features/alerts/matcher.ts',
    'features/alerts/matching.ts',
    'features/alerts/selection.ts',
    'features/silences/selection.ts',
  ],
  signatures: [
    'features/webhooks/signature-hints.ts',
    'features/webhooks/signature.ts',
    'features/webhooks/verification.ts',
  ],
  prices: [
    'features/catalog/price-check.ts',
    'features/catalog/product-sources.ts',
    'features/catalog/series.ts',
    'features/catalog/statistics.ts',
    'features/catalog/unit-price.ts',
    'features/catalog/window.ts',
    'features/trade/prices.ts',
  ],
};

/** By operator: what is written in its place, each as a mutant of its own. */
const OPERATORS = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
};

/** Types, and what is imported. */
const WITHOUT_VALUES = /^(TS(?!As|Satisfies|NonNull)|Import|ExportAll)/;

/** @typedef {{ id: number, area: string, file: string, line: number, lineText: string, start: number, end: number, before: string, after: string, isStatement: boolean, inFunction: boolean }} Mutant */

/** Every possible mutant of all areas, in the order of the files. */
function possibleMutants() {
  return Object.entries(AREAS).flatMap(([area, paths]) =>
    paths.flatMap(filesIn).flatMap((file) => {
      const code = readFileSync(`${root}${file}`, 'utf8');
      const found = [];
      collect(parseAst(code, { lang: 'ts' }), code, false, found);
      const lines = code.split('\n');
      return found.map((one) => {
        const line = code.slice(0, one.start).split('\n').length;
        return { ...one, area, file, line, lineText: lines[line - 1] };
      });
    }),
  );
}

function filesIn(path) {
  if (!statSync(`${root}src/${path}`).isDirectory()) return [`src/${path}`];
  return readdirSync(`${root}src/${path}`)
    .sort()
    .map((name) => `src/${path}/${name}`);
}

function collect(node, code, inFunction, found) {
  for (const change of changesOf(node, code)) {
    const { start, end } = node;
    found.push({ start, end, before: code.slice(start, end), inFunction, isStatement: false, ...change });
  }
  const isFunction = /Function/.test(node.type);
  for (const [name, value] of Object.entries(node)) {
    if (isLabel(node, name)) continue;
    for (const child of [value].flat())
      if (typeof child?.type === 'string' && !WITHOUT_VALUES.test(child.type))
        collect(child, code, inFunction || isFunction, found);
  }
}

/** Names, as those of properties. */
function isLabel(node, field) {
  if (field === 'key' && !node.computed) return true;
  return (
    field === 'typeAnnotation' || field === 'returnType' || field === 'typeArguments' || field === 'typeParameters'
  );
}

/** What is written in the place of a node. */
function changesOf(node, code) {
  if (['BinaryExpression', 'LogicalExpression'].includes(node.type)) return changedOperators(node, code);
  if (node.type === 'UnaryExpression' && node.operator === '!')
    return [{ after: `(${code.slice(node.start + 1, node.end)})` }];
  if (node.type === 'Literal') return changedConstant(node);
  if (['ExpressionStatement', 'ThrowStatement'].includes(node.type) && node.directive === undefined)
    return [{ after: '{}', isStatement: true }];
  return [];
}

function changedOperators({ start, end, left, operator }, code) {
  // A bracket around an operand is outside of its node.
  const at = code.indexOf(operator, left.end);
  const [one, other] = [code.slice(start, at), code.slice(at + operator.length, end)];
  return (OPERATORS[operator] ?? []).map((changed) => ({
    after: `((${one}) ${changed} (${other}))`,
  }));
}

/** Texts for people, which contain a space, are not changed. */
function changedConstant({ value }) {
  if (typeof value === 'boolean') return [{ after: String(!value) }];
  if (typeof value === 'number') return [{ after: String(value + 1) }];
  if (typeof value !== 'string' || /\s/.test(value)) return [];
  return [{ after: value === '' ? "'x'" : "''" }];
}

/**
 * The mutants whose hashes with the seed are the smallest: as long as its line stays the same, a mutant usually stays picked.
 * @returns {Mutant[]}
 */
export function pickMutants(count, seed) {
  const times = new Map();
  const hashed = possibleMutants().map((mutant) => {
    const text = JSON.stringify([seed, mutant.file, mutant.lineText, mutant.before, mutant.after]);
    times.set(text, (times.get(text) ?? 0) + 1);
    return {
      mutant,
      hash: createHash('sha256')
        .update(`${text}${times.get(text)}`)
        .digest('hex'),
    };
  });
  hashed.sort((one, other) => (one.hash < other.hash ? -1 : 1));
  return hashed.slice(0, count).map(({ mutant }, index) => ({ ...mutant, id: index + 1 }));
}

/** The code of the mutant's file with its change. */
export function withMutant(code, { start, end, after }) {
  return code.slice(0, start) + after + code.slice(end);
}

/**
 * The code of a file where each of its mutants calls `globalThis.__reached(id)` when it is executed. What is outside of functions runs
 * when the module is loaded, once for many files of tests: it is reached with every function of the file.
 */
export function withProbes(code, mutants) {
  const inserted = mutants.flatMap(({ id, start, end, isStatement }) =>
    isStatement
      ? [
          [start, `{${probe(id)};`],
          [end, '}'],
        ]
      : [
          [start, `(${probe(id)},`],
          [end, ')'],
        ],
  );
  const outside = mutants.filter(({ inFunction }) => !inFunction);
  if (outside.length > 0)
    for (const { start } of functionBodies(parseAst(code, { lang: 'ts' })))
      inserted.push([start + 1, outside.map(({ id }) => `${probe(id)};`).join('')]);
  // From the end, so that positions stay. What is inserted last at a position comes first there: an expression closes before its
  // statement, and a statement opens before its expression.
  const rank = (text) => ['(', '{', '}', ')'].indexOf(text[0]);
  inserted.sort(([one, text], [other, otherText]) => other - one || rank(text) - rank(otherText));
  return inserted.reduce((text, [at, more]) => text.slice(0, at) + more + text.slice(at), code);
}

const probe = (id) => `globalThis.__reached?.(${id})`;

function* functionBodies(node) {
  if (/Function/.test(node.type) && node.body?.type === 'BlockStatement') yield node.body;
  for (const value of Object.values(node))
    for (const child of [value].flat()) if (typeof child?.type === 'string') yield* functionBodies(child);
}
