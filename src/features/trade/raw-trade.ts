/** A raw request. Anything but a GET may trade: like an order, confirmed, journaled, sent once. */
import type { RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import { answered, type Confirmed, Plan } from '../../http/endpoint.ts';
import { exactNumbers, isObject, tryParseJson } from '../../json-object.ts';
import { verdictOf } from './gateway/envelope.ts';
import { refusal } from './gateway/failed-answer.ts';
import type { Session } from './gateway/session.ts';
import { exceededLimit, openTradingSession, type TradingSession } from './gateway/trading-session.ts';
import { checkConfirmable, checkRepeats, confirmOrder } from './orders/confirming.ts';
import { missingSide, type OrderForm } from './orders/forms.ts';
import { wantedAccount } from './orders/order-tables.ts';
import { answerOrError, writeOutcome, writeSent } from './orders/placing.ts';
import type { Envelope } from './schema.ts';

type RawAnswer = Exclude<Awaited<ReturnType<Session['answer']>>, Plan>;
type RawEndpoint = Parameters<Session['answer']>[0];
type RawValues = NonNullable<Parameters<Session['answer']>[1]>;

export interface RawVerdict {
  /** Unchanged. */
  readonly answer: RawAnswer;
  /** The gateway refuses with status 200. */
  readonly refused: SvcError | undefined;
}

/** Requests whose response names an order. */
const MAKES_ORDER = /^\/trading\/(?:open_trade|close_trade|create_entry_order)$/;

const OPENS = /^\/trading\/(?:open_trade|create_entry_order|simple_oco)$/;

/** Normalized as a server may read it: one path can be written in many ways. */
function plainPath(path: string): string {
  let text = path;
  try {
    text = decodeURIComponent(path);
  } catch {} // a server that accepts it reads it differently, and it is in no list
  return text
    .replace(/\/+/g, '/')
    .replace(/(?<=.)\/$/, '')
    .toLowerCase();
}

/** Before connecting: checks that the request has a side, and confirms it like an order. */
export async function confirmRawTrade(
  path: string,
  body: unknown,
  question: string,
  ctx: RunContext,
): Promise<Confirmed> {
  const form = (body ?? {}) as OrderForm;
  const field = missingSide(plainPath(path), form);
  if (field !== undefined) {
    // To the gateway, an order without a known side is a buy.
    throw new SvcError('missing_value', `${path} without ${field} would buy; nothing was sent`, {
      hint: `pass -f ${field}=true or -f ${field}=false`,
    });
  }
  const account = one(form, 'account_id');
  const hint = 'pass -f account_id=<id>, or use the command of svc trade for it, with --account <id|name>';
  await checkConfirmable(question, account, ctx, hint);
  const repeatable = { endpoint: { path }, form: plainForm(form) };
  const asked = ctx.dryRun ? question : await checkRepeats(question, [repeatable], OPENS.test(plainPath(path)), ctx);
  return confirmOrder(asked, account ?? wantedAccount(undefined, ctx) ?? 'unknown', ctx);
}

/** Resolves for any response; a failure without one is thrown. */
export async function rawTrade(
  ctx: RunContext,
  endpoint: RawEndpoint,
  values: RawValues,
  confirmed: Confirmed | undefined,
): Promise<RawVerdict | Plan> {
  const open = await openTradingSession(ctx, { forOrder: endpoint.method !== 'GET' });
  try {
    if (confirmed !== undefined && !ctx.dryRun) return await placeRaw(ctx, endpoint, values, open, confirmed);
    const sent = await open.answer(endpoint, values, confirmed);
    if (sent instanceof Plan) return sent;
    const { answer, envelope } = await readWhole(sent);
    return { answer, refused: await refusalIn(envelope, open) };
  } finally {
    await open.session.close();
  }
}

async function placeRaw(
  ctx: RunContext,
  endpoint: RawEndpoint,
  values: RawValues,
  open: TradingSession,
  confirmed: Confirmed,
): Promise<RawVerdict> {
  const { method, path } = endpoint;
  const request = {
    endpoint: { method, path, effect: 'money' as const },
    form: plainForm((values.body ?? {}) as OrderForm),
    command: 'api',
    what: `by ${method} ${path}`,
    makesOrder: MAKES_ORDER.test(plainPath(path)),
  };
  const journaled = await writeSent(request, open, ctx);
  const received = await answerOrError(
    open.session.answer(endpoint, values, confirmed).then((sent) => readWhole(answered(sent))),
  );
  const said = received instanceof SvcError ? received : received.envelope;
  const { error } = await writeOutcome(request, said, journaled, open, ctx);
  if (!(received instanceof SvcError)) return { answer: received.answer, refused: error };
  throw error ?? new SvcError('internal', `${path} was placed without an answer`);
}

/** The form for the journal. */
function plainForm(form: OrderForm): OrderForm {
  return Object.fromEntries(
    Object.entries(form).map(([name, value]) => [name, Array.isArray(value) && value.length === 1 ? value[0] : value]),
  );
}

function one(form: OrderForm, name: string): string | undefined {
  const values = [form[name] ?? []].flat();
  return values.length === 1 ? values[0] : undefined;
}

/** Anything but a JSON object says nothing. */
async function readWhole(sent: RawAnswer): Promise<{ readonly answer: RawAnswer; readonly envelope: Envelope }> {
  const pieces: Uint8Array[] = [];
  for await (const piece of sent.bytes) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  // A long response is returned before its end is checked: the request was carried out anyway.
  const value = sent.isJson ? tryParseJson(exactNumbers(new TextDecoder().decode(bytes))) : undefined;
  const again = async function* () {
    yield bytes;
  };
  return { answer: { ...sent, bytes: again() }, envelope: isObject(value) ? (value as Envelope) : {} };
}

async function refusalIn(envelope: Envelope, { counts }: TradingSession): Promise<SvcError | undefined> {
  const { executed, error } = verdictOf(envelope);
  if (executed !== false && error === undefined) return undefined;
  return (await exceededLimit(error, counts)) ?? refusal(error, 'the request');
}
