import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { SLOWNESS } from '../support/executable.ts';
import { HOME, ROOT, start } from './binary.ts';

const COPY = join(HOME, 'copy');

// In a copy: the demo builds first, and other tests run what is built.
beforeAll(() => {
  mkdirSync(COPY);
  for (const name of ['src', 'bin', 'scripts', 'completions', 'package.json', 'package-lock.json'])
    cpSync(join(ROOT, name), join(COPY, name), { recursive: true, preserveTimestamps: true });
  symlinkSync(join(ROOT, 'node_modules'), join(COPY, 'node_modules'));
});

describe('npm run demo', { timeout: 240_000 * SLOWNESS }, () => {
  it('runs the main tasks in a pipe and exits 0', async () => {
    const { code, stdout, stderr } = await start('npm', ['run', 'demo', '--silent'], { cwd: COPY }).ended;
    expect({ code, stderr, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('\nDone: '),
    });
    expect(stdout).toContain('$ svc alerts list\n');
    expect(stdout).toMatch(
      /\$ svc oauth login --no-browser --paste\n(?:.*\n)*signed in to http:\S+ as \S+ \(profile default\)\n(?:.*\n)*STATE +signed in\n/,
    );
    expect(stdout).toMatch(/^webhooks +http:\S+ /m);
    expect(stdout).toMatch(/webhook\.ping {2}valid .*-> 204\n/);
    expect(stdout).toMatch(/^INVALID {2}signature_mismatch .*\n\(exit status 1\)$/m);
    expect(stdout).toMatch(/\$ svc catalog history \S+ --interval 1h --height 8\n/);
    expect(stdout).toMatch(/^trade \d+ 5K @ [\d.]+ filled$/m);
    expect(stdout).not.toContain('demo failed');
    expect(readdirSync(HOME).filter((name) => name.startsWith('.config'))).toEqual([]);
  });
});
