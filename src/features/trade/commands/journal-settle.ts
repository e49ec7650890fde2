import { type Answer, listCommand, type RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import {
  type JournalEntry,
  journalAnswered,
  mayBeAwaited,
  readGatewayJournal,
  readJournal,
} from '../../../store/order-journal.ts';
import { formCell, outcomeCell } from '../columns.ts';
import { type AlikeRow, alikeText, findAlikeRows, readTradingRows } from '../orders/alike-rows.ts';

/** A request may be executed this long after it was sent, and the tables show it later still. */
const MAY_ARRIVE_MS = 10_000;
const OUTCOMES = ['filled', 'open', 'done', 'absent'] as const;

export const tradeJournalSettle = listCommand({
  id: 'trade journal settle',
  summary: 'Settle requests whose outcome is unknown',
  description:
    'Lists each such request with the rows of the gateway that are alike (same symbol and side, not older), newest first, and exits 8. Compare them, then write what you found with --as: filled, open, done (for a change) or absent (it was not executed). Sends no orders.',
  details:
    'The rows are open orders, open positions, and the closed positions of the trading day. Times are compared by the clock of the gateway, with a margin of ten seconds. --as connects to nothing.',
  effect: 'read',
  service: 'trade',
  args: { id: { help: 'Journal id or its prefix (default: all unknown outcomes)', repeat: true } },
  flags: {
    as: { type: 'choice', choices: OUTCOMES, help: 'Write this outcome, which you have checked; needs one id' },
  },
  exits: ['outcome_unknown'],
  examples: [
    { run: 'svc trade journal settle', why: 'List the requests with the rows that are alike' },
    { run: 'svc trade journal settle 3f2a -o json', why: 'Show one request, as JSON' },
    { run: 'svc trade journal settle 3f2a --as filled', why: 'Write that it was filled: its key sends nothing' },
    { run: 'svc trade journal settle 3f2a --as absent', why: 'Write that it was not executed: its key sends again' },
  ],
  output: {
    kind: 'list',
    columns: [
      { name: 'time', cell: ({ at }: SettlingRow) => ({ time: at }) },
      { name: 'command', cell: ({ command }) => command },
      { name: 'outcome', cell: outcomeCell },
      { name: 'alike', cell: ({ alike }) => alike.map(({ id }) => id), shrinks: true },
      { name: 'form', cell: formCell, wide: true },
      { name: 'id', cell: ({ id }) => id, brief: true },
    ],
    id: ({ id }) => id,
    empty: 'no unknown outcomes at this gateway',
  },
  async run(input, ctx) {
    const entries = await entriesToSettle(input.id, ctx);
    return input.as === undefined ? listAlike(entries, ctx) : settleAs(input.as, input.id, entries, ctx);
  },
});

type SettlingRow = ReturnType<typeof rowOf>;

/** `alike` is what may belong to it, newest first. */
function rowOf({ id, at, command, form, outcome, order_ids }: JournalEntry, alike: readonly AlikeRow[]) {
  return { id, at, command, form, outcome, order_ids, alike };
}

/** Oldest first. */
async function entriesToSettle(ids: readonly string[], ctx: RunContext): Promise<readonly JournalEntry[]> {
  const { entries: own } = await readGatewayJournal(ctx.paths, ctx.target.baseUrl);
  if (ids.length === 0) return own.filter(({ outcome }) => outcome === 'unknown');
  return [...new Set(ids)].map((id) => {
    const [entry, ...more] = own.filter((one) => one.id.startsWith(id));
    if (entry === undefined || more.length > 0) {
      const why = entry === undefined ? 'no entry of this gateway has' : 'several entries have';
      throw new SvcError('not_found', `${why} an id starting with ${id}`, { hint: 'svc trade journal' });
    }
    if (entry.outcome !== 'unknown') throw alreadyKnown(entry);
    return entry;
  });
}

function alreadyKnown({ id, outcome }: JournalEntry): SvcError {
  return new SvcError('usage', `the outcome of ${id} is already known: ${outcome}; nothing was written`);
}

async function listAlike(entries: readonly JournalEntry[], ctx: RunContext): Promise<Answer<readonly SettlingRow[]>> {
  if (entries.length === 0) return { value: [] };
  const rows = await readTradingRows(ctx);
  for (const text of rows.unread) ctx.notice(text);
  const value = entries.map((entry) => rowOf(entry, findAlikeRows(entry, rows)));
  return { value, code: 'outcome_unknown', footer: value.map(alikeFooter).join('\n') };
}

/** What the rows of the table have no space for: what is alike, and the next command. */
function alikeFooter({ id, command, at, alike }: SettlingRow): string {
  const found = alike.length === 0 ? 'nothing alike is at the gateway now' : 'alike at the gateway, newest first:';
  return [
    `${command} of ${at}: ${found}`,
    ...alike.map((row) => `  ${alikeText(row)}`),
    `  if you know what became of it: svc trade journal settle ${id} --as ${OUTCOMES.join('|')}`,
  ].join('\n');
}

/** Writes what the user has found out. Connects to nothing. */
async function settleAs(
  outcome: (typeof OUTCOMES)[number],
  ids: readonly string[],
  [entry]: readonly JournalEntry[],
  ctx: RunContext,
): Promise<Answer<readonly SettlingRow[]>> {
  if (entry === undefined || ids.length !== 1) throw new SvcError('usage', '--as needs one journal id');
  if (mayBeAwaited(entry, ctx.now())) {
    throw new SvcError('guarded', `the process that sent ${entry.id} may still wait for the response`, {
      hint: 'try again when it has ended',
    });
  }
  if (outcome === 'absent' && ctx.now() - Date.parse(entry.at) < MAY_ARRIVE_MS) {
    throw new SvcError('guarded', `${entry.id} may still be on its way: try again in ${MAY_ARRIVE_MS / 1000} s`);
  }
  const checkUnknown = async (): Promise<void> => {
    const now = (await readJournal(ctx.paths)).entries.find(({ id }) => id === entry.id);
    if (now !== undefined && now.outcome !== 'unknown') throw alreadyKnown(now);
  };
  const answer = { id: entry.id, outcome, message: 'as the user has declared' };
  await journalAnswered(ctx.paths, ctx, answer, checkUnknown);
  return { value: [rowOf({ ...entry, outcome }, [])] };
}
