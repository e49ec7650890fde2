/** Routing trees, label sets and damaged configuration files, all from a seed. */

export type Random = () => number;

/** mulberry32 */
export function seededRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pick<T>(random: Random, values: readonly T[]): T {
  return values[Math.floor(random() * values.length)] as T;
}

const NAMES = ['team', 'severity', 'env', 'alertname'];
const VALUES = ['db', 'web', 'critical', 'warning', 'a b', 'x.y', ''];
const REGEXES = ['d.*', 'web|db', 'crit.+', '.*', '(?i)DB', '[a-w]+', '\\\\w+'];
const RECEIVERS = ['root', 'pager', 'chat', 'mail', 'ops team'];

function matcherText(random: Random): string {
  const operator = pick(random, ['=', '=', '=', '!=', '=~', '=~', '!~']);
  const value = operator.endsWith('~') ? pick(random, REGEXES) : pick(random, VALUES);
  return `${pick(random, NAMES)}${operator}"${value}"`;
}

function routeLines(random: Random, depth: number, indent: string): string[] {
  const lines: string[] = [];
  const add = (text: string) => lines.push(`${indent}${text}`);
  const own = Math.floor(random() * 3);
  if (own > 0) {
    const kind = random();
    if (kind < 0.6) add(`matchers: [${Array.from({ length: own }, () => `'${matcherText(random)}'`).join(', ')}]`);
    else if (kind < 0.75) add(`match: { ${pick(random, NAMES)}: "${pick(random, VALUES)}" }`);
    else if (kind < 0.9) add(`match_re: { ${pick(random, NAMES)}: "${pick(random, REGEXES)}" }`);
    else add(`matchers: ['{${matcherText(random)},${matcherText(random)}}']`);
  }
  add(`continue: ${pick(random, ['true', 'false', 'false', 'yes'])}`);
  if (random() < 0.7) add(`receiver: ${pick(random, RECEIVERS)}`);
  if (random() < 0.3) add(`group_by: [${pick(random, ['alertname', 'team, env', "'...'", ''])}]`);
  if (random() < 0.3) add(`group_wait: ${pick(random, ['10s', '1m30s', '0s'])}`);
  if (random() < 0.2) add(`mute_time_intervals: [${pick(random, ['nights', 'weekends'])}]`);
  if (random() < 0.2) add('active_time_intervals: [weekends]');
  if (depth < 3) lines.push(...childLines(random, depth + 1, indent));
  return lines;
}

function childLines(random: Random, depth: number, indent: string): string[] {
  const count = Math.floor(random() * 4);
  if (count === 0) return [];
  const children = Array.from({ length: count }, () => {
    const [first = '', ...rest] = routeLines(random, depth, `${indent}    `);
    return [`${indent}  - ${first.trimStart()}`, ...rest];
  });
  return [`${indent}routes:`, ...children.flat()];
}

export function randomConfig(random: Random): string {
  return [
    'route:',
    '  receiver: root',
    `  group_by: [${pick(random, ['alertname', 'team', "'...'", ''])}]`,
    ...childLines(random, 0, '  '),
    'inhibit_rules:',
    `  - source_matchers: ['${matcherText(random)}']`,
    `    target_matchers: ['${matcherText(random)}']`,
    '    equal: [team, env]',
    '  - source_match: { severity: critical }',
    '    target_match_re: { severity: "warn.*" }',
    'time_intervals:',
    '  - name: nights',
    '    time_intervals:',
    '      - times: [{ start_time: "22:00", end_time: "24:00" }]',
    '        weekdays: ["monday:friday", sunday]',
    '        location: Europe/Berlin',
    '  - name: weekends',
    '    time_intervals:',
    '      - weekdays: ["saturday"]',
    '        days_of_month: ["1:10", "-3:-1"]',
    '        months: ["january:march", "10"]',
    '        years: ["2024:2030"]',
    'receivers:',
    ...RECEIVERS.map((name) => `  - name: ${name}`),
    '',
  ].join('\n');
}

export function randomLabels(random: Random): Record<string, string> {
  const entries = NAMES.map((name) => [name, pick(random, VALUES)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== '' && random() < 0.8));
}

const PIECES = [
  ...['é', '...', '"', "'", '{', '}', '[', ']', ',', ':', '- ', '~', '=', '!', '=~', '0', '-1', '31', '13', 'x', ' '],
  ...['null', 'true', 'yes', '""', '[]', '{}', 'nope', '1.5h', '0s', '25:00', 'Mars/Phobos', 'mon', '(', '\\'],
];

/** One change: a scalar is replaced, a line is removed, repeated or renamed, or a piece is inserted. */
export function damaged(config: string, random: Random): string {
  const lines = config.split('\n');
  const at = Math.floor(random() * (lines.length - 1));
  const line = lines[at] ?? '';
  const kind = random();
  if (kind < 0.1) lines.splice(at, 1);
  else if (kind < 0.2) lines.splice(at, 0, line);
  else if (kind < 0.4)
    lines[at] = line.replace(/^([\s-]*)(\w+):/, (_, indent, key) => `${indent}${key}${pick(random, ['', 's', '_x'])}:`);
  else if (kind < 0.7) lines[at] = line.replace(/: .*$/, () => `: ${pick(random, PIECES)}`);
  else {
    const position = Math.floor(random() * (line.length + 1));
    lines[at] = line.slice(0, position) + pick(random, PIECES) + line.slice(position + Math.floor(random() * 2));
  }
  return lines.join('\n');
}
