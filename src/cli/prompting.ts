/** Prompts for arguments and options that a command line omits, with choices of the service. */
import type { Choice, Context, Prompter } from '../context.ts';
import { SvcError } from '../errors.ts';
import { formatNotice } from '../output/terminal.ts';
import type { Rows } from '../output/types.ts';
import type { Command } from './command.ts';
import { type GlobalInput, SERVICE_FLAGS } from './common-flags.ts';
import { localCandidates } from './completion/answer.ts';
import { type Candidate, type CompletionSource, camelCase, type RemoteSource } from './flags.ts';
import { findCommand, findGroup } from './lookup.ts';
import { type Missing, type ParsedInput, parseInput, parsePart, requireAll } from './parse.ts';
import { runCommand } from './run.ts';
import { type Engine, escapePrompts, isInteractive } from './run-context.ts';
import { faultOf, tellCommand, withAnswers } from './wizard.ts';

interface Line {
  readonly command: Command;
  /** The words after the name of the command. */
  readonly tokens: readonly string[];
  readonly parsed: ParsedInput;
}

/** The choice of a value that is not in the list. */
const ANOTHER: Choice = { value: '', name: 'Another value…' };

/** Ends the choice of several, one after the other. */
const NO_MORE: Choice = { value: '', name: 'No more' };

/** How many choices are shown without a search: all of them are in sight. */
const FEW = 12;

/** The command line with an answer to each prompt. Exit 2 where nobody can be asked. */
export async function askMissing(
  line: Line,
  context: Context,
  engine: Engine,
): Promise<{ readonly answered: ParsedInput; readonly typed: readonly string[] }> {
  const { command, parsed } = line;
  const globals = parsed.input as unknown as GlobalInput;
  if (!isInteractive(globals, context)) return { answered: requireAll(parsed), typed: engine.typed };
  const prompts = new Prompts(line, context, engine);
  let answers: readonly string[] = [];
  let answered = parsed;
  for (let [missing] = answered.missing; missing !== undefined; [missing] = answered.missing) {
    answers = [...answers, ...(await prompts.ask(missing, answered, answers))];
    answered = parsePart(command, withAnswers(line.tokens, answers), context.now());
  }
  const notice = (text: string): void => void (globals.quiet || context.stderr.write(formatNotice(text)));
  const confirms = (command.effect === 'destroy' || command.effect === 'money') && !globals.yes;
  tellCommand({ typed: engine.typed, notice }, confirms ? [...answers, '--yes'] : answers);
  return { answered, typed: withAnswers(engine.typed, answers) };
}

class Prompts {
  readonly #line: Line;
  readonly #context: Context;
  readonly #engine: Engine;
  readonly #prompter: Omit<Prompter, 'confirm'>;

  constructor(line: Line, context: Context, engine: Engine) {
    this.#line = line;
    this.#context = context;
    this.#engine = engine;
    this.#prompter = escapePrompts((show) => show(context.prompter as Prompter), context.stderr);
  }

  /** What is added to the command line. */
  async ask(missing: Missing, parsed: ParsedInput, before: readonly string[]): Promise<readonly string[]> {
    const { name, argument, flag } = missing;
    const asTyped = (values: readonly string[]): readonly string[] => {
      if (argument?.afterDashes) return ['--', ...values.flatMap(shellCommand)];
      return argument === undefined ? values.flatMap((value) => [`--${name}`, value]) : values;
    };
    const fault = (...values: readonly string[]): string | undefined =>
      faultOf(() => {
        const tokens = withAnswers(this.#line.tokens, [...before, ...asTyped(values)]);
        const { given } = parsePart(this.#line.command, tokens, this.#context.now());
        if (!given.has(name)) throw new SvcError('missing_value', 'a value is required');
      });
    const { help, repeat, complete } = argument ?? flag;
    const choices =
      'choices' in (argument ?? flag) ? (argument ?? (flag as { choices?: readonly string[] })).choices : undefined;
    // What follows a semicolon is about command lines.
    const question = `${help.replace(/ \(required\)$|;.*$/, '')}:`;
    const source = this.#isRemote(complete) ? complete : undefined;
    const prompt: Prompt = { question, fault, source, parsed };
    if (choices !== undefined) {
      const list = choices.map((value) => ({ value }));
      return asTyped(repeat ? await this.#several(prompt, list) : [await this.#one(prompt, list)]);
    }
    const list = await this.#values(complete, parsed);
    if (list === undefined || list.length === 0) {
      return asTyped(repeat && !argument?.afterDashes ? await this.#texts(prompt) : [await this.#text(prompt)]);
    }
    // Several matchers would all have to match.
    if (repeat && complete !== 'matchers') return asTyped(await this.#several(prompt, list, true));
    return asTyped([await this.#one(prompt, list, true)]);
  }

  #text({ question, fault }: Prompt): Promise<string> {
    return this.#prompter.text({ question, check: (text) => fault(text) });
  }

  /** Until one is empty. */
  async #texts(prompt: Prompt): Promise<readonly string[]> {
    const texts = [await this.#text(prompt)];
    for (;;) {
      const check = (text: string) => (text === '' ? undefined : prompt.fault(...texts, text));
      const text = await this.#prompter.text({ question: 'Another (Enter for none):', check });
      if (text === '') return texts;
      texts.push(text);
    }
  }

  async #several(prompt: Prompt, list: readonly Candidate[], open = false): Promise<readonly string[]> {
    if (list.length > FEW) {
      const found: string[] = [];
      for (;;) {
        const one = await this.#one(prompt, list, open, found);
        if (one === NO_MORE.value) return found;
        found.push(one);
      }
    }
    const chosen = await this.#prompter.checkbox(prompt.question, [...toChoices(list), ...(open ? [ANOTHER] : [])]);
    const values = chosen.filter((value) => value !== ANOTHER.value);
    return values.length < chosen.length ? [...values, await this.#text(prompt)] : values;
  }

  /** `open`: a value that is not in the list may be typed, too. `before`: what was chosen already. */
  async #one(prompt: Prompt, list: readonly Candidate[], open = false, before: readonly string[] = []) {
    const { question, fault, source, parsed } = prompt;
    const search = source === undefined ? undefined : this.#engine.sources[source].search;
    const left = toChoices(list).filter(({ value }) => !before.includes(value));
    const choices = before.length === 0 ? left : [NO_MORE, ...left];
    return this.#prompter.search(question, async (typed, signal) => {
      const found = choices.filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase()));
      const isTyped =
        open && typed !== '' && fault(typed) === undefined && !choices.some(({ value }) => value === typed);
      const others = isTyped ? [{ value: typed, name: typed }] : [];
      if (source === undefined || search === undefined || typed === '' || choices.length < MOST_CHOICES)
        return [...found, ...others];
      // Not a request for every key.
      await this.#context.sleep(SEARCH_PAUSE_MS, signal);
      const more = await this.#listed(source, parsed, [`${search}=${typed}`]).catch(() => list);
      return [...toChoices(more), ...others];
    });
  }

  /** Undefined where nothing is known of the values, or they cannot be read. */
  async #values(source: CompletionSource | undefined, parsed: ParsedInput): Promise<readonly Candidate[] | undefined> {
    if (source === undefined || source === 'files') return undefined;
    if (!this.#isRemote(source)) return localCandidates(source, this.#context);
    try {
      return await this.#listed(source, parsed, []);
    } catch (error) {
      if (!(error instanceof SvcError) || error.isInterruption) throw error;
      await this.#context.stderr.write(formatNotice(`no choices: ${error.message}`));
      return undefined;
    }
  }

  #isRemote(source: CompletionSource | undefined): source is RemoteSource {
    return source !== undefined && source in this.#engine.sources;
  }

  /** Runs the command that lists them, and prints nothing. */
  async #listed(source: RemoteSource, parsed: ParsedInput, more: readonly string[]): Promise<Candidate[]> {
    const { list: path, search } = this.#engine.sources[source];
    const limit = search === undefined ? [] : [`--limit=${MOST_CHOICES}`];
    const line = [...path, ...limit].map((word) =>
      /^<(\w+)>$/.test(word) ? String(parsed?.input[word.slice(1, -1)]) : word,
    );
    const [group = '', ...rest] = line;
    const found = await findCommand(await findGroup(this.#engine.groups, group), rest);
    if (found.kind !== 'command') throw new SvcError('internal', `no command ${line.join(' ')}`);
    const { command, length } = found;
    const list = parseInput(command, [...rest.slice(length), ...more, '--quiet'], this.#context.now());
    const target = ['profile', ...Object.keys(SERVICE_FLAGS)].map(camelCase);
    const input = { ...list.input, ...Object.fromEntries(target.map((key) => [key, parsed?.input[key]])) };
    const values = new Map<string, Candidate>();
    const collecting: Command = {
      ...command,
      run: async (own, ctx) => {
        const { value, end } = await command.run(own, ctx);
        for await (const row of value as Exclude<Rows<unknown>, undefined>) {
          for (const one of command.offers?.(row)[source] ?? []) values.set(one.value, one);
          if (values.size >= MOST_READ) break;
        }
        await end?.();
        return { value: undefined };
      },
    };
    await runCommand(collecting, { ...list, input }, this.#context, this.#engine);
    return [...values.values()].filter(({ value }) => value !== '' && !value.startsWith('-'));
  }
}

interface Prompt {
  readonly question: string;
  /** Why the values are refused. */
  readonly fault: (...values: readonly string[]) => string | undefined;
  readonly source: RemoteSource | undefined;
  readonly parsed: ParsedInput;
}

/** More choices than a person reads: where the service can search, it finds the others. */
const MOST_CHOICES = 100;
/** More than anybody scrolls through: the search finds the others. */
const MOST_READ = 1000;
const SEARCH_PAUSE_MS = 250;

function toChoices(list: readonly Candidate[]): Choice[] {
  return list.map(({ value, note }) => ({ value, name: note === undefined ? value : `${value}  ${note}` }));
}

/** What needs a shell is given to one. */
function shellCommand(text: string): readonly string[] {
  return /^[\w./:=@%+, -]+$/.test(text) ? text.trim().split(/ +/) : ['sh', '-c', text];
}
