/** How often svc connects to the trading gateway, counted on disk for all processes of this user. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Paths } from '../context.ts';
import { SvcError } from '../errors.ts';
import { writeAtomic } from './atomic-write.ts';
import { type LockContext, withLock } from './lock.ts';
import { errorCode, readOwnFile } from './own-file.ts';
import type { Settings } from './settings.ts';

export interface PaceContext extends LockContext {
  readonly paths: Paths;
  readonly settings: Settings;
  notice(text: string): void;
}

interface ConnectPace {
  /** Resolves when one more connection may be made, which then counts. Rejects only with the reason of the signal. */
  wait(signal: AbortSignal): Promise<void>;
}

const WINDOW_MS = 60_000;
/** A time further ahead was written before the clock was set back. */
const FURTHEST_MS = 60 * WINDOW_MS;

/** The limit of one gateway, `trade.connectsPerMinute`. Without that setting, this machine has no limit. Urgent requests do not wait, but count. */
export function connectPace(context: PaceContext, gateway: URL, { waits = true } = {}): ConnectPace {
  const { settings } = context;
  const isSet = settings.origin('trade.connectsPerMinute').kind !== 'default';
  if (!isSet && isThisMachine(gateway)) return { wait: async () => {} };
  const perMinute = Number(settings.get('trade.connectsPerMinute'));
  const name = createHash('sha256').update(gateway.origin).digest('hex').slice(0, 16);
  const path = join(context.paths.state, 'trade', `connects-${name}.json`);
  return {
    wait: async (signal) => {
      const slot = await taken(path, waits ? perMinute : Number.POSITIVE_INFINITY, context);
      signal.throwIfAborted();
      const delay = slot - context.now();
      if (delay <= 0) return;
      const seconds = Math.ceil(delay / 1000);
      context.notice(
        `waiting ${seconds} s to connect: at most ${perMinute} connections a minute to ${gateway.host} (setting trade.connectsPerMinute)`,
      );
      await context.sleep(delay, signal);
    },
  };
}

/** The time of the next connection, which is reserved. If the disk cannot be written, now. */
async function taken(path: string, perMinute: number, context: PaceContext): Promise<number> {
  try {
    return await withLock(`${path}.lock`, context, () => {
      const now = context.now();
      const recent = readTimes(path).filter((time) => time > now - WINDOW_MS && time < now + FURTHEST_MS);
      const slot = Math.max(now, (recent.at(-perMinute) ?? Number.NEGATIVE_INFINITY) + WINDOW_MS);
      writeAtomic(path, JSON.stringify([...recent, slot]));
      return slot;
    });
  } catch (error) {
    if (!(error instanceof SvcError) || context.signal.aborted) throw error;
    context.notice(`svc cannot count connections here: ${error.message}`);
    return context.now();
  }
}

/** In order. A file that is not a list of times counts as empty. */
function readTimes(path: string): number[] {
  try {
    const times: unknown = JSON.parse(readOwnFile(path).toString());
    return Array.isArray(times) ? times.filter((time) => typeof time === 'number').sort((a, b) => a - b) : [];
  } catch (error) {
    if (error instanceof SyntaxError || errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** 127.0.0.0/8, `::1` or `localhost`. */
function isThisMachine({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
