/** Asks on standard error, so that what is printed stays data. */
import type { Choice, Prompter } from '../context.ts';
import { endedBy } from '../errors.ts';
import { CTRL_C, takeKeys } from './streams.ts';

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
    // Of a question without an answer nothing stays on the screen. The library reads this when the question ends.
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

const CTRL_D = '\u0004';
const MOST_LISTED = 20;
const BACKSPACE = /[\b\x7f]/;

/** For a terminal that shows text and nothing else (TERM=dumb): a question is a line, and so is its answer. */
export function plainPrompter(signal: AbortSignal): Prompter {
  const line = (question: string): Promise<string> => readLine(question, signal);

  /** Asks until `read` makes something of the answer. */
  const until = async <T>(question: string, problem: string, read: (answer: string) => T | undefined): Promise<T> => {
    for (;;) {
      const value = read(await line(question));
      if (value !== undefined) return value;
      say(`${problem}\n`);
    }
  };

  const list = (question: string, choices: readonly Choice[]): void => {
    say(`${question}\n${choices.map(({ name }, index) => `${String(index + 1).padStart(3)}  ${name}\n`).join('')}`);
  };
  const numbered = (choices: readonly Choice[], answer: string): string | undefined =>
    choices[Number(answer) - 1]?.value;

  return {
    confirm: (question) =>
      until(`${question} (y/N)`, 'Answer y or n.', (answer) => {
        if (/^(y|yes)$/i.test(answer)) return true;
        return /^(n|no)?$/i.test(answer) ? false : undefined;
      }),
    async text({ question, check, default: usual }) {
      const asked = usual === undefined ? question : `${question} (${usual})`;
      for (;;) {
        const answer = (await line(asked)) || (usual ?? '');
        const problem = check?.(answer);
        if (problem === undefined) return answer;
        say(`${problem}\n`);
      }
    },
    secret: (question, withdrawn) => hiddenLine(question, withdrawn === undefined ? [signal] : [signal, withdrawn]),
    select(question, choices) {
      list(question, choices);
      return until('Number:', `Answer a number from 1 to ${choices.length}.`, (answer) => numbered(choices, answer));
    },
    async search(question, find) {
      for (;;) {
        const choices = await find(await line(question), signal);
        if (choices.length === 0) say('Nothing matches.\n');
        else list('Matches:', choices.slice(0, MOST_LISTED));
        const chosen =
          choices.length === 0 ? undefined : numbered(choices, await line('Number (Enter to search again):'));
        if (chosen !== undefined) return chosen;
      }
    },
    checkbox(question, choices) {
      list(question, choices);
      const problem = `Answer numbers from 1 to ${choices.length}, separated by blanks.`;
      return until('Numbers:', problem, (answer) => {
        const values = answer.split(/[\s,]+/).map((one) => numbered(choices, one));
        return values.some((value) => value === undefined) ? undefined : [...new Set(values as string[])];
      });
    },
  };
}

function say(text: string): void {
  process.stderr.write(text);
}

/** The end of the input ends the command as Ctrl-C does. */
async function readLine(question: string, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const { createInterface } = await import('node:readline');
  const reader = createInterface({ input: process.stdin, terminal: false });
  const abort = (): void => reader.close();
  signal.addEventListener('abort', abort, { once: true });
  say(`${question} `);
  const answer = await new Promise<string | undefined>((done) => {
    reader.once('line', done).once('close', () => done(undefined));
  });
  signal.removeEventListener('abort', abort);
  reader.close();
  if (answer !== undefined) return answer.trim();
  say('\n');
  signal.throwIfAborted();
  throw endedBy('SIGINT');
}

/** Nothing is shown of what is typed. */
function hiddenLine(question: string, signals: readonly AbortSignal[]): Promise<string> {
  const ended = AbortSignal.any([...signals]);
  ended.throwIfAborted();
  process.stderr.write(`${question} `);
  return new Promise<string>((resolve, reject) => {
    let text = '';
    const finish = (settle: () => void): void => {
      release();
      ended.removeEventListener('abort', abort);
      process.stderr.write('\n');
      settle();
    };
    const abort = (): void => finish(() => reject(ended.reason));
    const release = takeKeys((key) => {
      if (key === CTRL_C || key === CTRL_D) finish(() => reject(endedBy('SIGINT')));
      else if (key === '\r' || key === '\n') finish(() => resolve(text));
      else if (BACKSPACE.test(key)) text = text.slice(0, -1);
      else if (!key.startsWith('\u001b')) text += key;
    });
    ended.addEventListener('abort', abort, { once: true });
  });
}
