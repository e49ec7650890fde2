/** Runs command lines of svc inside the full screen, with the same rules as in a shell. */
import type { RunContext } from '../../../cli/command.ts';
import type { OutStream, Prompter } from '../../../context.ts';
import { SvcError } from '../../../errors.ts';
import type { CommandLine } from './command-lines.ts';
import type { TriageEvent } from './state.ts';

export interface DoneAction {
  readonly line: CommandLine;
  readonly output: readonly string[];
  readonly status: number;
}

/** Lines that the screen can take over: no color, and nothing that moves the cursor. */
const PLAIN = ['--output', 'table', '--color', 'never'];
const PLAIN_ENV = { TERM: 'dumb' };

export class ActionRunner {
  readonly #ctx: RunContext;
  readonly #tell: (event: TriageEvent) => void;
  readonly done: DoneAction[] = [];
  #answer: ((yes: boolean) => void) | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(ctx: RunContext, tell: (event: TriageEvent) => void) {
    this.#ctx = ctx;
    this.#tell = tell;
  }

  /** One at a time: the reducer shows no other while one runs. */
  run(line: CommandLine, columns: number): Promise<void> {
    this.#running = this.#run(line, columns);
    return this.#running;
  }

  answer(yes: boolean): void {
    this.#answer?.(yes);
    this.#answer = undefined;
  }

  /** An interruption ends the action too; its outcome is known before the screen is left. */
  async settled(): Promise<void> {
    this.answer(false);
    await this.#running.catch(() => {});
  }

  async #run(line: CommandLine, columns: number): Promise<void> {
    const output: string[] = [];
    const stream = lineStream(columns, (text) => {
      output.push(text);
      this.#tell({ kind: 'output', text });
    });
    const status = await this.#ctx.runLine([...line, ...PLAIN], {
      stdout: stream,
      stderr: stream,
      prompter: this.#prompter(),
      env: PLAIN_ENV,
    });
    this.done.push({ line, output, status });
    this.#tell({ kind: 'ended', status });
  }

  /** The lines that run here leave nothing out, so that all they ask is yes or no. */
  #prompter(): Prompter {
    const refuse = (): Promise<never> =>
      Promise.reject(new SvcError('usage', 'this question cannot be asked here; run the command in a shell'));
    return {
      confirm: (question) =>
        new Promise((resolve) => {
          this.#answer = resolve;
          this.#tell({ kind: 'question', text: question });
        }),
      text: refuse,
      secret: refuse,
      select: refuse,
      checkbox: refuse,
      search: refuse,
    };
  }
}

/** Gives each complete line. */
function lineStream(columns: number, give: (line: string) => void): OutStream {
  let rest = '';
  return {
    isTTY: true,
    columns,
    colorDepth: 0,
    closed: false,
    async write(chunk) {
      const lines = (rest + (typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString())).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) give(line);
    },
  };
}
