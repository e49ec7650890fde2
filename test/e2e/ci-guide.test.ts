/** The steps of the workflow in docs/ci.md, run as they are written there. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { codeBlock } from '../features/webhooks/commands/documented-receivers.ts';
import { freePorts } from '../support/ports.ts';
import { HOME, ROOT, shell } from './binary.ts';

interface Workflow {
  readonly jobs: {
    readonly receiver: {
      readonly env: Readonly<Record<string, string>>;
      readonly steps: readonly { readonly name?: string; readonly run?: string }[];
    };
  };
}

it('the workflow starts a receiver and checks it', async () => {
  const [, text = ''] =
    /```yaml\n(name: webhooks\n[\s\S]*?)```/.exec(readFileSync(join(ROOT, 'docs/ci.md'), 'utf8')) ?? [];
  const { env, steps } = (parse(text) as Workflow).jobs.receiver;
  const step = steps.find(({ name }) => name === 'Check the receiver')?.run ?? '';
  expect(step).toContain('check-receiver');
  const folder = join(HOME, 'receiver');
  mkdirSync(folder);
  writeFileSync(join(folder, 'receiver.mjs'), codeBlock('js'));
  const port = String(await freePorts());
  const script = `trap 'kill %1' EXIT\nset -e\n${step.replaceAll('3000', port)}`;
  const { code, stdout } = await shell(script, { cwd: folder, env: { ...env, PORT: port } });
  expect(stdout).not.toMatch(/^fail/m);
  expect(code).toBe(0);
});
