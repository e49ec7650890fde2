/** `svc trade session` while it runs: commands are written one by one, and its events are read as they come, or not at all. */
import { AsyncQueue } from '../../../../src/async-queue.ts';
import { SvcError } from '../../../../src/errors.ts';
import { type Run, type RunOptions, svc, temporaryHome } from '../../../support/svc.ts';
import { until } from '../gateway.ts';
import { lines } from './feed.ts';

export interface SessionEvent {
  readonly event: string;
  readonly id: string | null;
  readonly at: string;
  readonly [field: string]: unknown;
}

export interface LiveSession {
  readonly run: Promise<Run>;
  events(): SessionEvent[];
  /** The names of the events with this id. */
  of(id: string): string[];
  /** Once such an event was printed. */
  printed(name: string, fields?: Readonly<Record<string, unknown>>): Promise<SessionEvent>;
  send(...commands: readonly (object | string)[]): void;
  /** The caller reads nothing until `read` is called. */
  stopReading(): void;
  read(): void;
  /** Of its input. */
  end(): Promise<Run>;
  interrupt(code: 'interrupted' | 'terminated'): Promise<Run>;
}

export function liveSession(
  env: NonNullable<RunOptions['env']>,
  args: readonly string[] = [],
  more: RunOptions = {},
): LiveSession {
  const input = new AsyncQueue<string>();
  const signal = new AbortController();
  let out = '';
  let [reading, read]: [Promise<void> | undefined, () => void] = [undefined, () => {}];
  const run = svc(['trade', 'session', '--yes', '-o', 'ndjson', ...args], {
    home: temporaryHome(),
    env,
    lines: input,
    sleeps: true,
    signal: signal.signal,
    onStdout: async (text) => {
      out += text;
      await reading;
    },
    ...more,
  });
  const events = () => lines(out.slice(0, out.lastIndexOf('\n') + 1)) as unknown as SessionEvent[];
  const find = (name: string, fields: Readonly<Record<string, unknown>>) =>
    events().find(
      (one) => one.event === name && Object.entries(fields).every(([field, value]) => one[field] === value),
    );
  return {
    run,
    events,
    of: (id) => events().flatMap((one) => (one.id === id ? [one.event] : [])),
    async printed(name, fields = {}) {
      await Promise.race([until(() => find(name, fields) !== undefined), run]);
      const found = find(name, fields);
      if (found === undefined) throw new Error(`no ${name} in: ${out}${JSON.stringify(await run)}`);
      return found;
    },
    send(...commands) {
      for (const one of commands) input.push(`${typeof one === 'string' ? one : JSON.stringify(one)}\n`);
    },
    stopReading() {
      reading = new Promise((resolve) => {
        read = resolve;
      });
    },
    read() {
      reading = undefined;
      read();
    },
    end() {
      input.end();
      return run;
    },
    interrupt(code) {
      signal.abort(new SvcError(code, code));
      return run;
    },
  };
}
