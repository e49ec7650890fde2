/** What a terminal needs back, whatever ends this process. */

/** The status of a process that a hangup ended. */
const HUNG_UP = 129;

/**
 * Runs `restore` when the process ends, unless what this returns is called before. A hangup would end it without that, so it
 * becomes an exit.
 */
export function atExit(restore: () => void): () => void {
  const hangUp = (): void => process.exit(HUNG_UP);
  process.once('exit', restore);
  process.once('SIGHUP', hangUp);
  return () => {
    process.off('exit', restore);
    process.off('SIGHUP', hangUp);
  };
}
