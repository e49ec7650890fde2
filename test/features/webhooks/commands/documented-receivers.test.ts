/** The receivers in docs/webhooks.md are run as they are printed there, and pass every probe. */
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { PROBE_NAMES } from '../../../../src/features/webhooks/probes/probes.ts';
import { interpreter } from '../../../support/peers.ts';
import { freePorts } from '../../../support/ports.ts';
import { temporaryHome } from '../../../support/svc.ts';
import { codeBlock } from './documented-receivers.ts';
import { KEY } from './handmade-receiver.ts';
import { answering, probe } from './probing.ts';

let child: ChildProcess | undefined;
afterEach(() => {
  child?.kill('SIGKILL');
  child = undefined;
});

const PYTHON = interpreter('python3');

async function expectToPass(code: string, program: string, name: string): Promise<void> {
  const file = join(temporaryHome(), name);
  writeFileSync(file, code);
  const port = await freePorts();
  const env = { ...process.env, SVC_WEBHOOK_SECRET: KEY, PORT: String(port) };
  child = spawn(program, [file], { env, stdio: 'ignore' });
  await answering(port);
  const results = await probe(`http://127.0.0.1:${port}/hook`);
  expect(results.filter(({ status }) => status !== 'pass')).toEqual([]);
  expect(results).toHaveLength(PROBE_NAMES.length);
}

it('the documented receiver for Node.js passes every probe', async () => {
  await expectToPass(codeBlock('js'), process.execPath, 'receiver.mjs');
});

it.skipIf(PYTHON === undefined)(
  'the documented receiver for Python passes every probe',

  async () => {
    await expectToPass(codeBlock('python'), PYTHON ?? '', 'receiver.py');
  },
);
