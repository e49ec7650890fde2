/** A spool after a kill or a loss of power: what was answered is there, in order, and what was settled is not. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';
import { eventKey } from '../../../../src/features/webhooks/receiver/seen-events.ts';
import { SpoolFile } from '../../../../src/features/webhooks/receiver/spool-file.ts';
import type { SpooledEvent } from '../../../../src/features/webhooks/receiver/spool-lines.ts';
import { temporaryHome } from '../../../support/svc.ts';

const open = (path: string): SpoolFile => new SpoolFile(path, 1 << 20, () => 1_767_225_600_000);

const spooled = (id: string): SpooledEvent => ({
  key: eventKey(id),
  received_at: '2026-01-01T00:00:00.000Z',
  secret: '1f3a9c02',
  event_id: id,
  event_type: 'webhook.ping',
  path: '/',
  headers: [['X-Service-Delivery', `dlv_\xff_${id}`]],
  body_b64: Buffer.from(id).toString('base64'),
});

type Step = 'add' | 'add two' | 'send' | 'fail' | 'settle' | 'reopen';
const steps = fc.array(fc.constantFrom<Step>('add', 'add two', 'send', 'fail', 'settle', 'reopen'), { maxLength: 30 });

it('has exactly the added, unsettled events, in order, wherever its last write ends', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.nat(200), async (all, torn) => {
      const path = join(temporaryHome(), 'spool');
      let file = open(path);
      let next = 0;
      let expected: { id: string; tries: number }[] = [];
      const known = new Set<string>();
      const add = async (count: number): Promise<void> => {
        const ids = Array.from({ length: count }, () => `evt_${next++}`);
        const added = await Promise.all(ids.map((id) => file.add(spooled(id))));
        expect(added.map((one) => one.added)).toEqual(ids.map(() => 'stored'));
        for (const id of ids) {
          known.add(eventKey(id));
          expected.push({ id, tries: 0 });
        }
      };
      for (const step of all) {
        const [first] = file.waiting;
        if (step === 'add') await add(1);
        else if (step === 'add two') await add(2);
        else if (step === 'reopen') {
          file.close();
          file = open(path);
        } else if (first !== undefined) {
          const [head] = expected as [{ id: string; tries: number }];
          expect(file.read(first)).toMatchObject(spooled(head.id));
          if (step === 'send') {
            file.markSent(first);
            head.tries++;
          } else if (step === 'fail' && head.tries > 0) {
            file.markFailed(first);
            head.tries--;
          } else if (step === 'settle') {
            file.settle(first, 200);
            expected = expected.slice(1);
          }
        }
      }
      // A process that is killed here leaves the file as it is, and perhaps the beginning of another line.
      const killed = join(temporaryHome(), 'killed');
      copyFileSync(path, killed);
      const unfinished = `${JSON.stringify({ event: 999, ...spooled('evt_torn') })}`;
      const beginning = unfinished.slice(0, torn);
      writeFileSync(killed, beginning, { flag: 'a' });
      const after = open(killed);
      expect(after.waiting.map(({ id, tries }) => ({ id, tries }))).toEqual(expected);
      expect([...after.seen.entries()].map(([key]) => key)).toEqual([...known]);
      expect(after.notices).toHaveLength(beginning === '' ? 0 : 1);
      for (const waiting of after.waiting) expect(after.read(waiting)).toMatchObject(spooled(waiting.id ?? ''));
      file.close();
      after.close();
    }),
    { numRuns: 30 },
  );
});

it('stays small with any number of events', async () => {
  const path = join(temporaryHome(), 'spool');
  const file = open(path);
  const body_b64 = Buffer.alloc(300_000).toString('base64');
  for (let n = 0; n < 40; n++) {
    const { waiting } = await file.add({ ...spooled(`evt_${n}`), body_b64 });
    if (waiting === undefined) throw new Error('not stored');
    file.settle(waiting, 200);
    expect(statSync(path).size).toBeLessThan(6 << 20);
  }
  file.close();
  expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(42);
});

it('does not exceed its limit', async () => {
  const file = open(join(temporaryHome(), 'spool'));
  const large = { ...spooled('evt_1'), body_b64: 'A'.repeat(600_000) };
  const [first, second, third] = await Promise.all([file.add(large), file.add(large), file.add(spooled('evt_2'))]);
  expect([first?.added, second?.added, third?.added]).toEqual(['stored', 'full', 'stored']);
  file.close();
  expect((await file.add(spooled('evt_3'))).added).toBe('failed');
});

it('goes on in the file that replaced the first, even if its folder cannot be opened', async () => {
  const folder = temporaryHome();
  const input = fileURLToPath(new URL('./spool-program.ts', import.meta.url));
  const bundle = await rolldown({ input, platform: 'node' });
  await bundle.write({ dir: folder, format: 'esm', entryFileNames: 'program.mjs' });
  await bundle.close();
  const path = join(folder, 'spool');
  const limited = ['-c', 'ulimit -n 64; exec "$@"', 'bash', process.execPath, join(folder, 'program.mjs'), path];
  expect(execFileSync('bash', limited).toString()).toBe('stored\n');
  const after = open(path);
  expect(after.waiting.map(({ id }) => id)).toEqual(['evt_waits', 'evt_later']);
  after.close();
});
