import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultServer } from '../support/servers.ts';
import { shell } from './binary.ts';
import { ARGUMENT, FINGERPRINT, HOSTILE, hostileServer, MATCHER, SILENCE } from './hostile.ts';
import { named, noScript, noTmux, ShellTerminal, typescript } from './terminal.ts';

const RENDERINGS = [
  ...['table', 'json', 'csv', 'tsv', 'yaml', 'id'].map((format) => `svc alerts list -a -o ${format}`),
  `svc alerts get ${FINGERPRINT} -o wide`,
  'svc alerts list -a --columns "label:$H"',
  'svc alerts list -a -o table --fields labels.host',
  'svc alerts list -a --query "[].labels" -o yaml',
  'svc alerts groups -a',
  'svc alerts list -a --group-by host',
  'svc alerts status --config',
  `svc silences get ${SILENCE}`,
  'svc alerts list -a -o id --debug',
  'svc silences create "$M" -c "$H" --author "$H" --dry-run=curl',
  'svc silences create "$M" -c "$H" --author "$H" --yes --all-alerts',
];

const FAILURES = [
  ...['refuse', 'page', 'move', 'garble', 'scream'].map(
    (manner) => `svc alerts list --base-url $SVC_ALERTS_URL/${manner} --timeout 1s`,
  ),
  'svc alerts list --base-url $SVC_ALERTS_URL/fail --timeout 1s -o json --debug',
  `svc silences expire ${SILENCE} --yes`,
  'svc silences get "$H" -o json',
  'svc alerts "$H"',
  'svc alerts list "--$H"',
  'svc alerts list --query "$H"',
  'svc alerts list --profile "$H"',
  'svc alerts list --base-url "http://$H"',
  'svc config set alerts.url "$H"',
  'svc silences create a=b -c x --for "$H"',
  'svc silences import "/nowhere/$H"',
  'svc sandbox run -- "$H"',
  'svc help "$H"',
];

let server: FaultServer;
beforeAll(async () => {
  server = await hostileServer();
});
afterAll(() => server.close());

const variables = (): Record<string, string> => ({ SVC_ALERTS_URL: server.url, H: ARGUMENT, M: MATCHER });

/** Control and invisible characters, except line ends and colors. */
const OBEYED =
  /[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)|[\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e0fff}]/u;
const plain = (bytes: string): string => bytes.replace(/\x1b\[[0-9;]*m/g, '');
/** tsv has tabs, and raw text keeps tabs and line breaks. */
const keepsTabs = (line: string): boolean => line.endsWith('-o tsv') || line.endsWith(' --config');
const obeyed = (line: string, bytes: string): RegExpExecArray | null =>
  OBEYED.exec(keepsTabs(line) ? plain(bytes).replaceAll('\t', '') : plain(bytes));

/** Each command's own bytes, in one run of one terminal. */
async function typed(commands: readonly string[]): Promise<ReadonlyMap<string, { bytes: string; status: number }>> {
  const script = commands.map((line) => `${line}\necho "<<$?>>"`).join('\n');
  const { bytes } = await typescript(script, { ...variables(), SVC_PAGER: '' });
  const parts = bytes.split(/<<(\d+)>>\r\n/);
  return new Map(
    commands.map((line, index) => [line, { bytes: parts[2 * index] ?? '', status: Number(parts[2 * index + 1]) }]),
  );
}

describe.skipIf(noScript)(named('raw bytes on a terminal', noScript), () => {
  it('is distinguished from plain text', () => {
    for (const character of HOSTILE.replaceAll(/[ -~\n\ud800]/gu, '')) expect(OBEYED.test(character)).toBe(true);
  });

  it('renderings contain no control sequence', async () => {
    const all = await typed(RENDERINGS);
    for (const [line, { bytes, status }] of all) {
      expect({ line, status, obeyed: obeyed(line, bytes) }, bytes).toEqual({ line, status: 0, obeyed: null });
      expect(plain(bytes).trim(), line).not.toBe('');
      if (!line.endsWith(' --config')) expect(bytes, line).not.toMatch(/^forged/m);
    }
  });

  it('failures contain no control sequence', async () => {
    const all = await typed(FAILURES);
    for (const [line, { bytes, status }] of all) {
      expect({ line, obeyed: obeyed(line, bytes) }).toEqual({ line, obeyed: null });
      expect([2, 3, 4, 5, 7, 8], `${line} ${bytes}`).toContain(status);
      expect(bytes, line).not.toMatch(/^forged/m);
      expect(bytes, line).not.toMatch(/\n +at .*:\d+|node:internal/);
    }
  });
});

describe.skipIf(noTmux)(named('the screen of a terminal', noTmux), () => {
  const columns = 100;
  let terminal: ShellTerminal;
  beforeAll(() => {
    terminal = new ShellTerminal(columns, 200, variables());
  });
  afterAll(() => terminal?.close());

  it.each(['svc alerts list -a', 'svc alerts status', 'svc alerts "$H"'])('shows only text after %s', async (line) => {
    const state =
      '#{pane_title} #{alternate_on} #{cursor_flag} #{scroll_region_upper}-#{scroll_region_lower} #{cursor_x}';
    await terminal.run(':');
    const before = terminal.tell(state);
    const { lines } = await terminal.run(line);
    expect(terminal.tell(state)).toBe(before);
    const expected = await shell(`${line} 2>&1`, {
      env: { ...variables(), SVC_FORCE_TTY: String(columns), NO_COLOR: '1' },
    });
    const wrapped = expected.stdout
      .trimEnd()
      .split('\n')
      .flatMap((text) => text.match(/.{1,100}/gu) ?? ['']);
    expect(lines).toEqual(wrapped.map((text) => text.trimEnd()));
  });

  it('shows the subject of a question on one line', async () => {
    terminal.begin('svc silences create "$M" -c why --for 30d; :');
    const lines = await terminal.showsLines((all) => all.some((text) => text.includes('(y/N)')));
    terminal.press('n', 'Enter');
    await terminal.finish();
    expect(lines.join('')).toContain('\\x1b[2J');
    expect(lines.filter((text) => text.startsWith('forged'))).toEqual([]);
    expect(terminal.tell('#{pane_title}')).not.toContain('owned');
  });
});
