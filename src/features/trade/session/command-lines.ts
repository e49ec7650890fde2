/** The lines of `trade batch` and `trade session`: each a command of `svc trade` with its arguments and options as JSON. */
import type { Command } from '../../../cli/command.ts';
import type { Arguments, Flags } from '../../../cli/flags.ts';

interface Shape {
  readonly args: Arguments;
  readonly flags: Flags;
}

const TOKEN = 'it changes the stored token, which the connection uses: run it before';
const ENDLESS = 'it runs until it is stopped: use subscribe in a session';
const LINES = 'write its commands as lines of their own';

/** Commands that no line can be, and why. */
const OUTSIDE: Readonly<Record<string, string>> = {
  login: TOKEN,
  logout: TOKEN,
  stream: ENDLESS,
  watch: ENDLESS,
  dashboard: ENDLESS,
  batch: LINES,
  session: LINES,
};

const OF_ALL = 'it is an option of svc trade session and svc trade batch';

/** Options that no line can have, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  transport: OF_ALL,
  budget: 'it is an option of single commands',
  temporary: 'it would hold the connection: change it back with another line',
};
const NO_WAIT = 'a session prints what becomes of each order, and a batch does not wait';

function whyLeftOut(name: string, { effect }: Command): string | undefined {
  return name === 'wait' && effect === 'money' ? NO_WAIT : LEFT_OUT[name];
}

/** What a line with this command may have; undefined if no line can be this command. */
export function lineShape(command: Command): Shape | undefined {
  const { id, args = {}, flags = {} } = command;
  if (Object.hasOwn(OUTSIDE, nameOf(id))) return undefined;
  const own = Object.entries(flags).filter(([name]) => whyLeftOut(name, command) === undefined);
  // In a line, `id` is its caller's.
  const { id: _, ...others } = args;
  return { args: others, flags: Object.fromEntries(own) };
}

function nameOf(id: string): string {
  return id.replace(/^trade /, '');
}
