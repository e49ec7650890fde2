/** OSC 8 links: on which terminals, to which addresses, and around which texts. */
import { describe, expect, it } from 'vitest';
import { supportsLinks, webAddress } from '../../src/output/terminal.ts';
import type { ListOutput, OutputOptions, RecordOutput } from '../../src/output/types.ts';
import { rendering } from './rendering.ts';

const terminal = { isTTY: true, columns: 80 };
const link = (address: string, text: string): string => `\u001b]8;;${address}\u001b\\${text}\u001b]8;;\u001b\\`;

describe('a terminal', () => {
  it.each([
    [{ VTE_VERSION: '7600' }, true],
    [{ VTE_VERSION: '4999' }, false],
    [{ TERM_PROGRAM: 'iTerm.app' }, true],
    [{ TERM_PROGRAM: 'WezTerm' }, true],
    [{ TERM_PROGRAM: 'vscode' }, true],
    [{ TERM_PROGRAM: 'ghostty' }, true],
    [{ TERM_PROGRAM: 'Apple_Terminal' }, false],
    [{ KITTY_WINDOW_ID: '1' }, true],
    [{ WT_SESSION: 'a' }, true],
    [{ DOMTERM: 'a' }, true],
    [{ TERM: 'xterm-kitty' }, true],
    [{ TERM: 'alacritty' }, true],
    [{ TERM: 'foot' }, true],
    [{ TERM: 'xterm-256color' }, false],
    [{}, false],
    [{ KITTY_WINDOW_ID: '1', TMUX: '/tmp/tmux-0/default,1,0' }, false],
    [{ KITTY_WINDOW_ID: '1', TERM: 'screen-256color' }, false],
    [{ TMUX: '/tmp/tmux-0/default,1,0', FORCE_HYPERLINK: '1' }, true],
    [{ KITTY_WINDOW_ID: '1', FORCE_HYPERLINK: '0' }, false],
    [{ KITTY_WINDOW_ID: '1', FORCE_HYPERLINK: '' }, true],
    [{ TERM: 'dumb', FORCE_HYPERLINK: '1' }, false],
  ])('with %j shows links: %s', (env, expected) => {
    expect(supportsLinks({ env, stream: terminal })).toBe(expected);
    expect(supportsLinks({ env, stream: { isTTY: false, columns: undefined } })).toBe(false);
  });
});

describe('an address', () => {
  it.each([
    ['https://prometheus.example/graph?g0.expr=up', 'https://prometheus.example/graph?g0.expr=up'],
    ['http://[::1]:9090/a;b', 'http://[::1]:9090/a;b'],
    ['https://bücher.example/ü', 'https://xn--bcher-kva.example/%C3%BC'],
    ['javascript:alert(1)', undefined],
    ['file:///etc/passwd', undefined],
    ['/graph', undefined],
    ['', undefined],
    [null, undefined],
    ['https://', undefined],
    ['https://a.example/\u001b]8;;https://b.example\u001b\\', undefined],
    ['https://a.example/\u0007', undefined],
    ['https://a.example/\u009c', undefined],
    ['https://a.example/\u202e', undefined],
    ['https://a.example/a b', undefined],
    [`https://a.example/${'a'.repeat(2000)}`, undefined],
  ])('links %j to %j', (text, expected) => {
    expect(webAddress(text)).toBe(expected);
  });
});

describe('a column with a link', () => {
  interface Row {
    readonly name: string;
    readonly url: string;
    readonly notes: readonly string[];
  }
  const LIST: ListOutput<Row> = {
    kind: 'list',
    columns: [
      { name: 'name', cell: ({ name }) => ({ text: name, tone: 'bad' }), link: ({ url }) => url, flex: true },
      { name: 'notes', cell: ({ notes }) => notes, link: (_, text) => text.split('=')[1] },
    ],
    id: ({ name }) => name,
  };
  const RECORD: RecordOutput<Row> = { kind: 'record', columns: LIST.columns, id: LIST.id };
  const row: Row = { name: 'DiskFull', url: 'https://a.example/1', notes: ['x=https://b.example/', 'y=no'] };
  const show = async (value: unknown, output: typeof LIST | typeof RECORD, options: Partial<OutputOptions> = {}) =>
    (await rendering(value, output, { width: 80, ...options })).text;

  it('wraps the shown text and its color', async () => {
    const text = await show([row], LIST, { links: true, color: 1 });
    expect(text).toContain(`\n${link('https://a.example/1', '\u001b[31mDiskFull\u001b[39m')}  x=`);
    const cut = await show([{ ...row, name: 'A'.repeat(90) }], LIST, { links: true });
    expect(cut).toMatch(/https:\/\/a\.example\/1\u001b\\A+…\u001b\]8;;\u001b\\/);
  });

  it('also works in a long table', async () => {
    const text = await show(Array(300).fill(row), LIST, { links: true });
    expect(text.split(link('https://a.example/1', 'DiskFull'))).toHaveLength(301);
  });

  it('has a link for each value and line of a record', async () => {
    const text = await show({ ...row, name: 'DiskFull on two lines' }, RECORD, { links: true, width: 24 });
    expect(text).toContain(link('https://a.example/1', 'DiskFull on two'));
    expect(text).toContain(link('https://a.example/1', 'lines'));
    const wide = await show(row, RECORD, { links: true });
    expect(wide).toContain(`${link('https://b.example/', 'x=https://b.example/')}\n`);
    expect(wide).toContain('       y=no\n');
  });

  it('has no link without a web address or a terminal that shows links', async () => {
    expect(await show([{ ...row, url: 'javascript:alert(1)' }], LIST, { links: true })).not.toContain('\u001b');
    expect(await show([row], LIST)).not.toContain('\u001b');
    expect(await show([row], LIST, { links: true, format: 'csv' })).not.toContain('\u001b');
  });
});
