/** What the tests of the lock run in processes of their own, so that they can be killed and suspended, and can race. Bundled by `child.ts`. */
import { once } from 'node:events';
import { chmodSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processName, withLock } from '../../src/store/lock.ts';
import { writeAtomic } from '../../src/store/own-file.ts';
import { processContext as context, runMode } from './run-mode.ts';

const [mode, path = '', count = '1'] = process.argv.slice(2);

const modes: Record<string, () => Promise<void>> = {
  /** Increments a counter, which is correct only without concurrent writers. */
  async increment() {
    const file = join(path, 'counter');
    for (let i = 0; i < Number(count); i++) {
      await withLock(`${file}.lock`, context, async (lock) => {
        const value = Number(readFileSync(file, 'utf8'));
        await sleep(0);
        writeAtomic(file, String(value + 1), { lock });
      });
    }
  },
  /** Fails where another process is inside at the same time. */
  async takeovers() {
    for (let i = 0; i < Number(count); i++) {
      const inside = join(path, `${i}.inside`);
      await withLock(join(path, `${i}.lock`), context, async () => {
        writeFileSync(inside, '', { flag: 'wx' });
        await sleep(3);
        rmSync(inside);
      });
    }
  },
  async hold() {
    await withLock(path, context, async () => {
      writeSync(1, 'held\n');
      await sleep(60_000);
    });
  },
  /** The other processes cannot examine it. It writes once it is resumed. */
  async 'write-from-elsewhere'() {
    const elsewhere = { ...context, processName: { ...processName(process.pid), host: 'elsewhere' } };
    await withLock(`${path}.lock`, elsewhere, async (lock) => {
      const resumed = once(process, 'SIGCONT');
      writeSync(1, 'held\n');
      await resumed;
      writeAtomic(path, 'from elsewhere', { lock });
    });
  },
  async 'close-folder'() {
    await withLock(path, context, () => chmodSync(dirname(path), 0o500));
  },
};

await runMode(modes[mode ?? '']);
