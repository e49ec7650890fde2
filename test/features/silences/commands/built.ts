/** The built program, for what only a real process has: signals and a child. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Ended } from '../../../e2e/binary.ts';
import { countRun, SVC } from '../../../support/executable.ts';
import { temporaryHome } from '../../../support/svc.ts';

export interface Started {
  kill(signal: NodeJS.Signals): void;
  /** Resolves with the match as soon as it is there. */
  says(stream: 'stdout' | 'stderr', what: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<Ended>;
}

/** In a session of its own: whether the tests run at a terminal or not, nothing here is that terminal's. */
export function start(argv: readonly string[], url: string): Started {
  const [command, ...before] = SVC;
  countRun('executable');
  const child = spawn(command, [...before, ...argv], {
    env: { ...process.env, SVC_ALERTS_URL: url, SVC_CONFIG_DIR: temporaryHome(), NO_PROXY: '*' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const texts = { stdout: '', stderr: '' };
  const waiting: (() => void)[] = [];
  const wake = (): void => {
    for (const one of waiting.splice(0)) one();
  };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
      wake();
    });
  }
  const closed = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  let over = false;
  const ended = closed.then(async ([code, signal]): Promise<Ended> => {
    over = true;
    wake();
    // A grandchild that outlives svc keeps the pipes open: what came is enough. While the loop was
    // busy, svc may have written and ended: its end is seen first, and its text one turn later.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    return { code, signal, ...texts };
  });
  return {
    kill: (signal) => {
      child.kill(signal);
    },
    async says(stream, what) {
      for (;;) {
        const match = what.exec(texts[stream]);
        if (match !== null) return match;
        if (over) throw new Error(`it ended without ${what}: ${JSON.stringify(texts)}`);
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
    ended,
  };
}
