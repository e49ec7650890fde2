/**
 * One request of the user, sent by the service's own client with its credential and limits. In a
 * table, an array of objects is a list, an object is a record, and each key is a column.
 */
import type { RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import type { WholeAnswer } from '../../http/client.ts';
import { Plan } from '../../http/endpoint.ts';
import { exactNumbers, isObject, parseJsonText } from '../../json-object.ts';
import {
  type Cell,
  type Column,
  type ListOutput,
  RawBytes,
  RawJson,
  type RecordOutput,
  type TextOutput,
} from '../../output/types.ts';
import type { Alertmanager } from '../alerts/api.ts';

interface Printed {
  /** Undefined where there is nothing to print. */
  readonly value: unknown;
  readonly as: ListOutput<unknown> | RecordOutput<unknown> | TextOutput;
}

type Keyed = Readonly<Record<string, unknown>>;

/** Before the answer is there, any field may be in it. */
export const ANY_ANSWER: RecordOutput<unknown> = { kind: 'record', columns: [], id: String };

/** `unread`: nobody asks for a part of it, and what is JSON goes through as it is. */
export async function printedAnswer(
  { status, headers, isJson, bytes }: WholeAnswer,
  { include, unread }: { readonly include: boolean; readonly unread: boolean },
): Promise<Printed> {
  if (isJson && unread) {
    const value = new RawJson(include ? within(JSON.stringify({ status, headers, body: null }), bytes) : bytes);
    return { value, as: ANY_ANSWER };
  }
  const whole = await collected(bytes);
  const text = whole.length === 0 ? null : whole.toString();
  const body = isJson ? parseJsonText(exactNumbers(new TextDecoder().decode(whole))) : text;
  if (include || isJson) {
    const value = include ? { status, headers, body } : body;
    return { value, as: answerOutput(value) };
  }
  return { value: body === null ? undefined : new RawBytes(whole), as: { kind: 'text' } };
}

/** The bytes in the place of the `null` that the text ends with. */
async function* within(text: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text.slice(0, -'null}'.length));
  yield* bytes;
  yield Buffer.from('}');
}

async function collected(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return Buffer.concat(pieces);
}

function answerOutput(value: unknown): ListOutput<unknown> | RecordOutput<unknown> {
  if (!Array.isArray(value)) {
    const line = isObject(value) ? {} : { line: () => cellOf(value) };
    return { kind: 'record', columns: isObject(value) ? columnsOf([value]) : [], id: idOf, ...line };
  }
  const keyed = value.length > 0 && value.every(isObject);
  const columns = keyed ? columnsOf(value) : [{ name: 'value', cell: cellOf, shrinks: true } as const];
  return { kind: 'list', columns, id: idOf, empty: 'an empty list' };
}

function columnsOf(rows: readonly Keyed[]): readonly Column<unknown>[] {
  const keys = new Set(rows.flatMap((row) => Object.keys(row)));
  return [...keys].map((name) => ({ name, cell: (row) => cellOf((row as Keyed)[name]), shrinks: true }));
}

function cellOf(value: unknown): Cell {
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  return value as Cell;
}

function idOf(value: unknown): string {
  if (!isObject(value)) return String(cellOf(value) ?? '');
  return typeof value['id'] === 'string' ? value['id'] : JSON.stringify(value);
}

type Send = Alertmanager['answer'];

/** The connections end with the last byte of the answer, or with what goes wrong before it. */
export async function rawCall(ctx: RunContext, ...request: Parameters<Send>): ReturnType<Send> {
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
      return (await import('../alerts/api.ts')).openAlertmanager(ctx.target);
    case 'webhooks':
      return (await import('../webhooks/api.ts')).openRecordings(ctx.target);
    case 'catalog':
      return (await import('../catalog/api.ts')).openCatalog(ctx.target);
    case 'trade':
      throw new SvcError('internal', 'svc calls the trading gateway within a session');
  }
}
