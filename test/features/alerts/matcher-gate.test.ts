/** An argument that could mean several matchers must never make a gate green: random ones, through `alerts check`, against a simple reading of the grammar. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatMatcher, type Matcher, matcher } from '../../../src/features/alerts/matcher.ts';
import { postAlerts, startAlertmanager, wire } from '../../support/alertmanager.ts';
import { describeRealServers } from '../../support/alertmanagers.ts';
import { answer, fileServer } from '../../support/servers.ts';
import { svc } from '../../support/svc.ts';
import { wireAlert } from './commands/scripted.ts';

const LABELS: Readonly<Record<string, string>> = {
  alertname: 'Disk full',
  team: 'payments',
  severity: 'critical',
  instance: 'web-1:9100',
  'k8s/app': 'a b, c=d; "e"',
  é: 'ü',
};

/** The simple reading of a matcher: whether it selects the alert that fires. */
function selects(name: string, operator: string, value: string): boolean {
  const label = LABELS[name] ?? '';
  const equal = operator.includes('~') ? new RegExp(`^(?:${value})$`, 's').test(label) : label === value;
  return equal === !operator.startsWith('!');
}

/** The classic grammar, then the UTF-8 grammar, one character after the other. Undefined where a server refuses the text. */
function serverReads(text: string): boolean | undefined {
  const operator = ['=~', '!=', '!~', '='].find((one) => text.includes(one));
  if (operator === undefined || text.startsWith('{') || text.endsWith('}')) return undefined;
  const trimmed = text.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, '');
  const [, name = '', sign = '', rest = ''] =
    /^([a-zA-Z_:][a-zA-Z0-9_:]*)[\t\n\f\r ]*(=~|!=|!~|=)(.*)$/s.exec(trimmed) ?? [];
  const classic = name === '' ? undefined : classicValue(rest.replace(/^[\t\n\f\r ]+/, ''));
  if (classic !== undefined) return selects(name, sign, classic);
  const token = '("(?:[^"\\\\]|\\\\.)*"|[^\\s{}!=~,\\\\"\'`]+)';
  const found = new RegExp(`^\\s*${token}\\s*(=~|!=|!~|=)\\s*${token}\\s*,?\\s*$`, 'su').exec(text);
  if (found === null) return undefined;
  const plain = (one = '') => (one.startsWith('"') ? (JSON.parse(one) as string) : one);
  return selects(plain(found[1]), found[2] ?? '', plain(found[3]));
}

function classicValue(text: string): string | undefined {
  const isQuoted = text.length > 1 && text.startsWith('"') && text.endsWith('"');
  const inner = isQuoted ? text.slice(1, -1) : text;
  let value = '';
  for (let at = 0; at < inner.length; at++) {
    const char = inner[at] ?? '';
    if (char === '"') return undefined;
    const escaped = char === '\\' ? { n: '\n', '"': '"', '\\': '\\' }[inner[at + 1] ?? ''] : undefined;
    if (escaped !== undefined) at++;
    else if (char === '\\' && isQuoted && at === inner.length - 1) return undefined;
    value += escaped ?? char;
  }
  return value;
}

/** Whether a person reads matchers in a text that all select the alert, whatever is between them. */
function personReads(text: string): boolean {
  const found = [...text.matchAll(/([\w/é]+)\s*(=~|!=|!~|=)\s*(?:["'`“]([^"'`”]*)["'`”]|([\w:.-]+))/gu)];
  const rest = found.reduce((left, [one]) => left.replace(one, ' '), text);
  const isOnlyJoined = /^(?:[\s,;&+(){}[\]"'`]|\band\b)*$/u.test(rest);
  return (
    found.length > 0 &&
    isOnlyJoined &&
    found.every(([, name = '', sign = '', one, two]) => selects(name, sign, one ?? two ?? ''))
  );
}

/** The exit status of a gate by each simple reading; a list only as a person reads it. */
function readings(text: string): readonly number[] {
  const byPerson = personReads(text) ? [1] : [];
  if (text.trim().startsWith('{')) return byPerson;
  const isName = !/[=!~{}",]/.test(text);
  const isSelected = isName ? text === LABELS['alertname'] : serverReads(text.trim()) === true;
  return [...byPerson, isSelected ? 1 : 0];
}

const plain = [
  matcher('team', '=', 'payments'),
  matcher('severity', '=', 'critical'),
  matcher('instance', '=~', 'web-1:9100'),
];
const any = [
  ...plain,
  matcher('team', '!=', 'db'),
  matcher('severity', '!~', 'warn.*|info'),
  matcher('k8s/app', '=', LABELS['k8s/app'] ?? ''),
  matcher('é', '=', 'ü'),
];

const bare = (of: Matcher): string => formatMatcher(of).replaceAll('"', '');
const styles: readonly ((of: Matcher) => string)[] = [
  formatMatcher,
  (of) => (/["\\ ,;|*]/.test(of.value) ? formatMatcher(of) : bare(of)),
  (of) => formatMatcher(of).replace(/^([\w"/é]+)([!=~]+)/u, '$1 $2 '),
];
const spelled = fc.tuple(fc.constantFrom(...any), fc.constantFrom(...styles)).map(([of, style]) => style(of));
const AND = [
  ...[' ', '  ', ', ', ',', ';', '; ', '&', ' && ', ' and ', ' AND ', '\n', '\t', '\r\n', ' ,', '\u00a0', '，'],
  ...['} {', '},{', '} and {'],
];
const CLOSING = new Map([
  ['{', '}'],
  ['(', ')'],
]);
const joined = fc
  .tuple(fc.array(spelled, { minLength: 2, maxLength: 3 }), fc.constantFrom(...AND), fc.constantFrom('', '{', '(', '"'))
  .map(([all, by, open]) => ({
    by,
    open,
    text: `${open}${all.join(by)}${CLOSING.get(open) ?? open}`,
  }));

const pieces = fc.constantFrom(
  ...['team', 'severity', 'payments', 'critical', 'Disk full', 'é', 'x', '1'],
  ...['=', '=', '!=', '=~', '!~', '==', ' ', ' ', ',', ';', '&&', '|', ' and ', ' or '],
  ...['"', '"', "'", '\\', '\\"', '{', '}', '(', ')', '.*', '*', '\n', '\t', '\u00a0', '“', '”'],
  ...['team=payments', 'severity="critical"', '"team"', "severity='critical'"],
);
const garbage = fc.array(pieces, { minLength: 1, maxLength: 9 }).map((parts) => parts.join(''));

/** Its one alert fires, if the filters select it. */
const server = await fileServer((socket, { path }) => {
  const filters = new URL(path, 'http://x').searchParams.getAll('filter');
  try {
    const matches = filters.every((one) => serverReads(one) === true);
    socket.write(answer(200, JSON.stringify(matches ? [wireAlert('a', LABELS)] : [])));
  } catch {
    socket.write(answer(400, '"bad regular expression"'));
  }
});

describe('a gate on an alert that fires', () => {
  const gate = async (text: string) =>
    (await svc(['alerts', 'check', '--base-url', server.url, '--', text], { here: true })).code;

  it('is not green for several matchers in one argument that all select it', async () => {
    const codes = new Map<number, number>();
    for (const { text, open, by } of fc.sample(joined, 600)) {
      const code = await gate(text);
      const isList = open === '{' && by.trim() === ',';
      expect([text, code]).toEqual([text, isList && !text.includes("'") ? 1 : 2]);
      codes.set(code, (codes.get(code) ?? 0) + 1);
    }
    expect(codes.get(1)).toBeGreaterThan(5);
  });

  it('answers as the grammar says, or refuses the text', async () => {
    const codes = new Map<number, number>();
    for (const text of [' and =~ ', '\u00a0and =~ ', '\u00a0x=', ...fc.sample(garbage, 1200)]) {
      const code = await gate(text);
      codes.set(code, (codes.get(code) ?? 0) + 1);
      if (code === 2 || code === 3) continue;
      expect([text, ...readings(text)]).toEqual([text, ...readings(text).map(() => code)]);
    }
    expect([...codes.keys()].sort()).toEqual(expect.arrayContaining([0, 1, 2]));
  });
});

describeRealServers(({ release }) => {
  it('reads an accepted argument as svc does', async () => {
    const server = await startAlertmanager({ release });
    try {
      await postAlerts(server.url, [
        { labels: release === '0.25' ? { team: 'payments', severity: 'critical', alertname: 'Disk full' } : LABELS },
      ]);
      const accepted = new Map<string, number>();
      for (const text of fc.sample(garbage, 500).filter((one) => /[=~]/.test(one) && !one.trim().startsWith('{'))) {
        const { code } = await svc(['alerts', 'check', '--base-url', server.url, '--', text], { here: true });
        if (code === 2 || code === 3) continue;
        const { status, body } = await wire(server.url, `/api/v2/alerts?filter=${encodeURIComponent(text)}`);
        // 0.25 knows fewer blanks around a matcher, and svc sends none of them.
        if (status === 400) continue;
        expect([text, code]).toEqual([text, JSON.parse(body).length > 0 ? 1 : 0]);
        accepted.set(text, code);
      }
      expect(new Set(accepted.values())).toEqual(new Set([0, 1]));
    } finally {
      await server.stop();
    }
  });
});
