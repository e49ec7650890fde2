import type { Prompter } from '../context.ts';
import { endedBy } from '../errors.ts';

/** Asks on standard error, so that what is printed stays data. */
export function prompter(signal: AbortSignal): Prompter {
  const streams = () => ({ input: process.stdin, output: process.stderr, signal });
  const ask = async <T>(show: (prompts: typeof import('@inquirer/prompts')) => Promise<T>): Promise<T> => {
    try {
      return await show(await import('@inquirer/prompts'));
    } catch (error) {
      signal.throwIfAborted();
      // Ctrl-C at a prompt is a key, not a signal, and ends the command all the same.
      if (error instanceof Error && error.name === 'ExitPromptError') throw endedBy('SIGINT');
      throw error;
    }
  };
  return {
    confirm: (message) => ask((prompts) => prompts.confirm({ message, default: false }, streams())),
    text: ({ question, check, ...rest }) =>
      ask((prompts) =>
        prompts.input({ message: question, validate: (text) => check?.(text) ?? true, ...rest }, streams()),
      ),
    secret: (message, withdrawn) =>
      ask((prompts) => {
        const { signal: ended, ...rest } = streams();
        const over = withdrawn === undefined ? ended : AbortSignal.any([ended, withdrawn]);
        return prompts.password({ message, mask: false, toggleMask: false }, { ...rest, signal: over });
      }),
    select: (message, choices) =>
      ask((prompts) => prompts.select({ message, choices, pageSize: PAGE, loop: false }, streams())),
    checkbox: (message, choices) =>
      ask((prompts) => prompts.checkbox({ message, choices, required: true, pageSize: PAGE, loop: false }, streams())),
  };
}

/** How many choices are shown at a time. */
const PAGE = 12;
