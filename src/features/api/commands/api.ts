/** `svc api`: any request, through the sign-in, the limits and the exit statuses of svc. */
import { isUtf8 } from 'node:buffer';
import type { RunContext } from '../../../cli/command.ts';
import { recordCommand } from '../../../cli/command.ts';
import { FILE, splitPair } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import type { WholeAnswer } from '../../../http/client.ts';
import { Plan } from '../../../http/endpoint.ts';
import { exactNumbers, isObject, parseJsonText } from '../../../json-object.ts';
import { idOf as plainId, subjectOf } from '../../../output/shape.ts';
import {
  type Cell,
  collectRows,
  type ListOutput,
  RawBytes,
  RawJson,
  type RecordOutput,
  type TextOutput,
} from '../../../output/types.ts';
import { SERVICES } from '../../../store/profile-environment.ts';
import type { Alertmanager } from '../../alerts/api.ts';

/** Before the answer is there, any field may be in it. */
const ANY_ANSWER: RecordOutput<unknown> = { kind: 'record', columns: [], id: String };

export const api = recordCommand({
  id: 'api',
  summary: 'Send any request to a service',
  description:
    "Uses the sign-in, certificates, proxies, limits and exit statuses of svc's own commands. svc adds the base path of the service (/api/v2 for alerts, /v1 for webhooks). Requests other than GET need confirmation and are sent once; exit status 8 if the response is lost.",
  details:
    'Prints JSON exactly as the service wrote it, and a table with -o table. Another response is printed as a JSON string; with -o table in a pipe, byte for byte.\nFields make a JSON object; for trade they make a form, sent in a session of its own. A request other than GET is treated as an order: svc confirms it as one (by typing the account if trade.live is set) and writes it to svc trade journal before sending it.',
  effect: 'write',
  callOf: ({ service, method }) => ({ service, effect: method === 'GET' ? 'read' : 'write' }),
  defaultFormat: 'json',
  args: {
    service: { help: 'Service', required: true, choices: SERVICES },
    method: { help: 'Method', required: true, choices: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] },
    path: { help: 'Path below the base path; may have a query', required: true },
  },
  flags: {
    field: { type: 'string', short: 'f', repeat: true, value: 'name=text', help: 'Field of the body, a text' },
    body: { ...FILE, help: 'Body from a file (-: stdin)' },
    param: { type: 'string', short: 'p', repeat: true, value: 'name=value', help: 'Query parameter' },
  },
  examples: [
    { run: 'svc api alerts GET /status', why: 'Show the status of Alertmanager' },
    {
      run: 'svc api alerts GET /alerts -p filter=\'team="db"\' --fields labels',
      why: 'Filter alerts; svc encodes the parameters',
    },
    { run: 'svc api webhooks POST /webhooks/ep_1/test --dry-run=curl', why: 'Print a request as a curl command' },
    { run: 'svc api trade POST /trading/subscribe -f models=Order --yes', why: 'Send a form in a trading session' },
  ],
  output: ANY_ANSWER,
  async run({ service, method, path, param, ...input }, ctx) {
    const asked = rawPath(path, service, param);
    const body = await rawBody(input, service === 'trade', ctx);
    const changes = method !== 'GET';
    if (!changes && body !== undefined) {
      throw new SvcError('usage', 'a GET has no body', { hint: 'pass query parameters as -p name=value' });
    }
    const question = `Send ${method} ${ctx.target.baseUrl.href.replace(/\/$/, '')}${asked.whole}?`;
    // A dry run is about the request itself, and so shows a read, too.
    const unchanging = ctx.dryRun ? 'write' : 'read';
    const effect = changes ? 'destroy' : unchanging;
    const endpoint = { method, path: asked.path, effect, encoding: body?.encoding ?? 'json' } as const;
    const values = { query: asked.query, body: body?.body };
    if (service !== 'trade') {
      const confirmed = changes ? await ctx.confirm(question) : undefined;
      const answer = await rawCall(ctx, endpoint, values, confirmed);
      if (answer instanceof Plan) return { value: answer };
      return printedAnswer(answer, ctx.wants.rawJson);
    }
    const { confirmRawTrade, rawTrade } = await import('../../trade/raw-trade.ts');
    const confirmed = changes ? await confirmRawTrade(asked.path, body?.body, question, ctx) : undefined;
    const raw = await rawTrade(ctx, endpoint, values, confirmed);
    if (raw instanceof Plan) return { value: raw };
    const { answer, refused } = raw;
    if (refused !== undefined) ctx.notice(refused.message);
    if (refused?.hint !== undefined) ctx.notice(`hint: ${refused.hint}`);
    return { ...(await printedAnswer(answer, ctx.wants.rawJson)), code: refused?.code };
  },
});

interface Printed {
  /** Undefined where there is nothing to print. */
  readonly value: unknown;
  readonly as: ListOutput<unknown> | RecordOutput<unknown> | TextOutput;
}

/** `unread`: nobody asks for a part of it, and what is JSON goes through as it is. */
async function printedAnswer({ isJson, bytes }: WholeAnswer, unread: boolean): Promise<Printed> {
  if (isJson && unread) return { value: new RawJson(bytes), as: ANY_ANSWER };
  const whole = Buffer.concat(await collectRows(bytes));
  if (isJson) {
    const value = parseJsonText(exactNumbers(new TextDecoder().decode(whole)));
    return { value, as: answerOutput(value) };
  }
  return { value: whole.length === 0 ? undefined : new RawBytes(whole), as: { kind: 'text' } };
}

function answerOutput(value: unknown): ListOutput<unknown> | RecordOutput<unknown> {
  const subject = subjectOf(value);
  if (subject.kind === 'list') {
    const columns = subject.named ? subject.columns : subject.columns.map((column) => ({ ...column, name: 'value' }));
    return { kind: 'list', columns, id: idOf, empty: 'an empty list' };
  }
  if (subject.kind === 'record') return { kind: 'record', columns: subject.columns, id: idOf };
  return { kind: 'record', columns: [], id: idOf, line: () => value as Cell };
}

function idOf(value: unknown): string {
  return isObject(value) && typeof value['id'] === 'string' ? value['id'] : plainId(value);
}

type Send = Alertmanager['answer'];

/** The connections end with the last byte of the answer, or with what goes wrong before it. */
async function rawCall(ctx: RunContext, ...request: Parameters<Send>): ReturnType<Send> {
  const { answer, close } = await open(ctx);
  try {
    const answered = await answer(...request);
    if (answered instanceof Plan) {
      await close();
      return answered;
    }
    const { bytes, ...head } = answered;
    return { ...head, bytes: until(bytes, close) };
  } catch (error) {
    await close();
    throw error;
  }
}

async function* until(bytes: AsyncIterable<Uint8Array>, close: () => Promise<void>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } finally {
    await close();
  }
}

async function open(ctx: RunContext): Promise<{ readonly answer: Send; close(): Promise<void> }> {
  switch (ctx.target.service) {
    case 'alerts':
      return (await import('../../alerts/api.ts')).openAlertmanager(ctx.target);
    case 'webhooks':
      return (await import('../../webhooks/api.ts')).openRecordings(ctx.target);
    case 'catalog':
      return (await import('../../catalog/api.ts')).openCatalog(ctx.target);
    case 'trade':
      throw new SvcError('internal', 'svc calls the trading gateway within a session');
  }
}

/** What svc adds to the path, and what people paste along all the same. */
const BASE_PATHS = { alerts: '/api/v2', webhooks: '/v1', catalog: '', trade: '' } as const;

interface RawPath {
  readonly path: string;
  /** With what svc adds to it, as the service sees it. */
  readonly whole: string;
  readonly query: Readonly<Record<string, readonly string[]>>;
}

/** `params` come after those that stand in the path. */
export function rawPath(text: string, service: keyof typeof BASE_PATHS, params: readonly string[]): RawPath {
  const refuse = (why: string): SvcError =>
    new SvcError('invalid_value', `<path>: ${JSON.stringify(text)} ${why}`, {
      hint: 'write the path below the address of the service: /status; a space is %20, # is %23',
    });
  // Where an address is resolved, what follows two slashes is a host.
  if (!/^\/(?![/\\])/.test(text)) throw refuse('does not begin with one slash');
  if (!/^(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9a-f]{2})*$/i.test(text)) {
    throw refuse('contains a character that addresses cannot have');
  }
  const cut = text.indexOf('?');
  const path = cut < 0 ? text : text.slice(0, cut);
  // Some servers decode first and go up the tree then.
  const segments = path.replace(/%2e/gi, '.').split(/\/|\\|%2f|%5c/i);
  if (segments.includes('.') || segments.includes('..')) {
    throw refuse('contains a segment of dots, which leads to another path');
  }
  const query = grouped([
    ...(cut < 0 ? [] : new URLSearchParams(text.slice(cut + 1))),
    ...params.map((param) => splitPair('--param', param)),
  ]);
  const base = BASE_PATHS[service];
  const below = base !== '' && path.startsWith(`${base}/`) ? path.slice(base.length) : path;
  return { path: below, whole: base + below, query };
}

interface RawBody {
  readonly encoding: 'json' | 'form' | 'json-text';
  readonly body: unknown;
}

/** The trading gateway takes forms, the others JSON. The JSON of a file is sent as it is. */
export async function rawBody(
  { field, body }: { readonly field: readonly string[]; readonly body: string | undefined },
  form: boolean,
  ctx: Pick<RunContext, 'readInput'>,
): Promise<RawBody | undefined> {
  if (body !== undefined) {
    if (field.length > 0) throw new SvcError('usage', '--body and --field cannot be combined: each is a body');
    const text = bodyText(await ctx.readInput(body));
    if (form) return { encoding: 'form', body: grouped([...new URLSearchParams(text.trimEnd())]) };
    return { encoding: 'json-text', body: checkedJson(text) };
  }
  if (field.length === 0) return undefined;
  const pairs = field.map((one) => splitPair('--field', one));
  if (form) return { encoding: 'form', body: grouped(pairs) };
  const fields = Object.fromEntries(pairs);
  if (Object.keys(fields).length < pairs.length) throw new SvcError('invalid_value', '--field: a field is given twice');
  return { encoding: 'json', body: fields };
}

function bodyText(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes);
  throw new SvcError('invalid_value', '--body: the input is not UTF-8');
}

function checkedJson(text: string): string {
  try {
    parseJsonText(text);
    return text;
  } catch {
    throw new SvcError('invalid_value', '--body: the input is not JSON, which the service requires');
  }
}

function grouped(
  pairs: readonly (readonly [name: string, value: string])[],
): Readonly<Record<string, readonly string[]>> {
  const fields: Record<string, string[]> = Object.create(null);
  for (const [name, value] of pairs) fields[name] = [...(fields[name] ?? []), value];
  return fields;
}
