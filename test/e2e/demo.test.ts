import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SLOWNESS } from '../support/executable.ts';
import { HOME, ROOT, start } from './binary.ts';

it(
  'npm run demo runs the main tasks and exits 0',
  async () => {
    // In a copy: the demo builds first, and other tests run what is built.
    const copy = join(HOME, 'copy');
    mkdirSync(copy);
    for (const name of ['src', 'bin', 'scripts', 'completions', 'package.json', 'package-lock.json'])
      cpSync(join(ROOT, name), join(copy, name), { recursive: true, preserveTimestamps: true });
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    const { code, stdout, stderr } = await start('npm', ['run', 'demo', '--silent'], { cwd: copy }).ended;
    expect({ code, stderr, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('\nDone: '),
    });
    expect(stdout).toContain('$ svc alerts list\n');
    expect(stdout).toMatch(/\$ svc oauth login --no-browser\n(?:.*\n)*KIND +oauth\n(?:.*\n)*STATE +signed in\n/);
    expect(stdout).toMatch(/^webhooks +http:\S+ +up +3 subscriptions /m);
    expect(stdout).toMatch(/webhook\.ping {2}valid .*-> 204\n/);
    expect(stdout).toMatch(/^INVALID {2}signature_mismatch .*\n\(exit status 1\)$/m);
    expect(stdout).toMatch(/\$ svc catalog history \S+ --interval 1h --height 8\n/);
    expect(stdout).toMatch(/^trade \d+ 5K @ [\d.]+ filled$/m);
    expect(stdout).not.toContain('demo failed');
    expect(readdirSync(HOME).filter((name) => name.startsWith('.config'))).toEqual([]);
    // It promises to take less than a minute.
  },
  60_000 * SLOWNESS,
);
