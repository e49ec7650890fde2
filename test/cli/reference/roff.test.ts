/** Man pages: what is declared is what a reader of them sees. */
import { execFileSync, spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeRoff, manualPages } from '../../../scripts/reference/manual.ts';
import { loadCommands } from '../../../src/cli/command.ts';
import { GROUPS } from '../../../src/features/index.ts';

/** Whatever somebody may write into a declaration, the beginnings of requests and of escapes more often than not. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom('.', "'", '\\', '-', '"', '`', '^', '~', '.SH', '\\fB', '\\&', '…', '→', 'é', ' ', '\n', '--a,b'),
      fc.string({ unit: 'grapheme' }),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => parts.join('').replace(/[\p{C}\p{Z}\p{M}]+/gu, ' '))
  .filter((one) => one.trim() !== '');

const SPELLED: Readonly<Record<string, string>> = {
  '\\e': '\\',
  '\\-': '-',
  '\\(ga': '`',
  '\\(ha': '^',
  '\\(ti': '~',
  '\\(aq': "'",
  '\\(dq': '"',
  '\\&': '',
  '\\:': '',
};

/** Reads roff as a formatter does; throws at an unintended escape. */
function read(roff: string): string {
  return roff.replace(
    /\\(?:\[u([0-9A-F]{4,6})\]|\((?:ga|ha|ti|aq|dq)|[^([])/g,
    (spelling, point: string | undefined) => {
      if (point !== undefined) return String.fromCodePoint(Number.parseInt(point, 16));
      const char = SPELLED[spelling];
      if (char === undefined) throw new Error(`unknown escape ${spelling}`);
      return char;
    },
  );
}

describe('text in a man page', () => {
  it('is the same text when it is read, and begins no request', () => {
    fc.assert(
      fc.property(text, (text) => {
        const roff = escapeRoff(text);
        expect(read(roff)).toBe(text.replace(/\s+/g, ' ').trim());
        expect(roff).toMatch(/^[^.'][\x20-\x7e]*$/);
      }),
    );
  });
});

describe('the manual', async () => {
  const pages = await manualPages(GROUPS);

  it('has every command, its options and its examples', async () => {
    for (const group of GROUPS) {
      const page = read((pages[`svc-${group.name}.1`] ?? '').replace(/\\f[BR]/g, ''));
      for (const { id, flags = {}, examples } of await loadCommands(group)) {
        const shown = Object.keys(flags).filter((flag) => !flags[flag]?.hidden);
        const lines = examples.map(({ run }) => run.replace(/\s+/g, ' '));
        const parts = [`svc ${id}`, ...shown, ...lines];
        expect(parts.filter((part) => !page.includes(part))).toEqual([]);
      }
    }
  });
});

const formatter = spawnSync('groff', ['--version']).status === 0;

describe.runIf(formatter)('groff', () => {
  const format = (page: string, ...options: string[]): { readonly stdout: string; readonly stderr: string } => {
    const { stdout, stderr } = spawnSync('groff', ['-man', '-ww', '-Tutf8', '-P-cbou', ...options], {
      input: page,
      encoding: 'utf8',
    });
    return { stdout, stderr };
  };

  it('accepts every page without a warning', async () => {
    const all = Object.values(await manualPages(GROUPS)).join('');
    expect(execFileSync('groff', ['-man', '-ww', '-z'], { input: all, encoding: 'utf8', stdio: 'pipe' })).toBe('');
    expect(format(all).stderr).toBe('');
  });
});
