/** Prompts for missing values, and prints the equivalent command line. */
import { SvcError } from '../errors.ts';
import { shellWord } from '../output/escape.ts';
import type { RunContext } from './command.ts';

/** Why the parser of the option or argument refuses a text, in one line. */
export function faultOf(parse: () => unknown): string | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return faultText(error);
  }
}

/** The message and what to do, in one line. */
export function faultText({ message, hint }: SvcError): string {
  return hint === undefined ? message : `${message} (${hint})`;
}

/** Prints the command line that needs no prompt. */
export function tellCommand(ctx: Pick<RunContext, 'typed' | 'notice'>, answered: readonly string[]): void {
  const line = ['svc', ...withAnswers(ctx.typed, answered)];
  // A newline at the end of a word cannot be printed in a way that every shell reads.
  if (line.some((word) => word.endsWith('\n'))) return;
  ctx.notice(`Without prompts: ${line.map(shellWord).join(' ')}`);
}

/** The command line with what was answered in it. */
export function withAnswers(typed: readonly string[], answered: readonly string[]): readonly string[] {
  const dashes = typed.indexOf('--');
  const at = dashes < 0 ? typed.length : dashes;
  return [...typed.slice(0, at), ...answered, ...typed.slice(at)];
}
