import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { amtoolBinary, fish, type Peer, zsh } from './peers.ts';

const home = mkdtempSync(join(tmpdir(), 'peers-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

function output(peer: Peer | undefined, args: readonly string[], env: Readonly<Record<string, string>> = {}): string {
  if (peer === undefined) throw new Error('missing');
  const base = { HOME: home, PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8' };
  return execFileSync(peer.command, args, { encoding: 'utf8', env: { ...base, ...peer.env, ...env } });
}

describe.skipIf(amtoolBinary() === undefined)('amtool', () => {
  test('runs', () => {
    expect(output(amtoolBinary(), ['--version'])).toContain('amtool, version');
  });
});

describe.skipIf(zsh() === undefined)('zsh', () => {
  test('finds its modules and its completion functions, and reads the rc file of a test', () => {
    writeFileSync(join(home, '.zshrc'), 'autoload -U compinit; compinit -D -u\n');
    const script = 'zmodload zsh/complist zsh/zpty && print -r -- $+functions[compdef] $+_comps[git]';
    expect(output(zsh(), ['-i', '-c', script], { ZSH_TEST_DIR: home })).toBe('1 1\n');
  });
});

describe.skipIf(fish() === undefined)('fish', () => {
  test('finds its completions', () => {
    expect(output(fish(), ['-c', 'complete -C "git cherry-p"'])).toContain('cherry-pick');
  });
});
