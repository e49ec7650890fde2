/** Man pages: what is declared is what a reader of them sees. */
import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { escapeRoff, manualPages } from '../../../scripts/reference/manual.ts';
import { loadCommands } from '../../../src/cli/command.ts';
import { GROUPS } from '../../../src/features/index.ts';

describe('the manual', async () => {
  const pages = await manualPages(GROUPS);

  it('has every command, its options and its examples', async () => {
    for (const group of GROUPS) {
      const page = (pages[`svc-${group.name}.1`] ?? '').replace(/\\f[BR]|\\:/g, '');
      for (const { id, flags = {}, examples } of await loadCommands(group)) {
        const shown = Object.keys(flags).filter((flag) => !flags[flag]?.hidden);
        const lines = examples.map(({ run }) => run.replace(/\s+/g, ' '));
        const parts = [`svc ${id}`, ...shown, ...lines];
        expect(parts.filter((part) => !page.includes(escapeRoff(part).replaceAll('\\:', '')))).toEqual([]);
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
