import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';

test('stops reading a pipe even while it is being opened', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'svc-input-'));
  const file = join(directory, 'program.cjs');
  const input = fileURLToPath(new URL('giving-up-program.ts', import.meta.url));
  const bundle = await rolldown({ input, platform: 'node' });
  await bundle.write({ file, format: 'cjs', codeSplitting: false });
  await bundle.close();
  // Nothing is ever written to it, and its end never comes.
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect({ said, code }).toEqual({ said: '{"done":true}', code: 0 });
  await rm(directory, { recursive: true });
});
