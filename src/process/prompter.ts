/** Asks on standard error, so that what is printed stays data. */
import type { Prompter } from '../context.ts';
import { endedBy } from '../errors.ts';

/** How many choices are shown at a time. */
const PAGE = 12;

type Prompts = typeof import('@inquirer/prompts');
type PromptContext = NonNullable<Parameters<Prompts['confirm']>[1]>;

export function prompter(signal: AbortSignal): Prompter {
  const ask = async <T>(
    show: (prompts: Prompts, context: PromptContext) => Promise<T>,
    ended: AbortSignal = signal,
  ): Promise<T> => {
    const { stdin: input, stderr: output } = process;
    const context = { input, output, signal: ended, clearPromptOnDone: false };
    // Nothing of an unanswered question stays. The library reads this when the question ends.
    const clear = (): void => {
      context.clearPromptOnDone = true;
    };
    const onKey = (_text: unknown, key: { readonly ctrl?: boolean; readonly name?: string } | undefined): void => {
      if (key?.ctrl && (key.name === 'c' || key.name === 'd')) clear();
    };
    input.on('keypress', onKey);
    signal.addEventListener('abort', clear, { once: true });
    try {
      return await show(await import('@inquirer/prompts'), context);
    } catch (error) {
      signal.throwIfAborted();
      // Ctrl-C at a prompt is a key, not a signal, and ends the command all the same.
      if (error instanceof Error && error.name === 'ExitPromptError') throw endedBy('SIGINT');
      throw error;
    } finally {
      input.off('keypress', onKey);
      signal.removeEventListener('abort', clear);
    }
  };
  return {
    confirm: (message) => ask((prompts, context) => prompts.confirm({ message, default: false }, context)),
    text: ({ question: message, check, ...rest }) =>
      ask((prompts, context) =>
        prompts.input({ message, validate: (text) => check?.(text) ?? true, ...rest }, context),
      ),
    secret: (message, withdrawn) =>
      ask(
        (prompts, context) => prompts.password({ message, mask: false, toggleMask: false }, context),
        withdrawn === undefined ? signal : AbortSignal.any([signal, withdrawn]),
      ),
    select: (message, choices) =>
      ask((prompts, context) => prompts.select({ message, choices, pageSize: PAGE, loop: false }, context)),
    search: (message, find) =>
      ask((prompts, context) =>
        prompts.search(
          { message, pageSize: PAGE, source: async (typed, { signal: changed }) => await find(typed ?? '', changed) },
          context,
        ),
      ),
    checkbox: (message, choices) =>
      ask((prompts, context) =>
        prompts.checkbox({ message, choices, required: true, pageSize: PAGE, loop: false }, context),
      ),
  };
}
