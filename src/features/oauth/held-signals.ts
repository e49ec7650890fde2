/** Keeps SIGINT, SIGTERM and SIGHUP back while a token is on its way that nobody can ask for twice. */
// biome-ignore lint/style/noRestrictedImports: a signal is given back the way it came
import { kill } from 'node:process';
import type { Context, EndSignal } from '../../context.ts';

/** Until what it returns is called: then the first signal that came takes its course. */
export function holdSignals({ takeSignals, pid }: Pick<Context, 'takeSignals' | 'pid'>): () => void {
  let came: EndSignal | undefined;
  const release = takeSignals((name) => {
    came ??= name;
  });
  return () => {
    release();
    if (came !== undefined) kill(pid, came);
  };
}
