/** A request as the user writes it, checked so that it goes where it seems to go. */

import { isUtf8 } from 'node:buffer';
import type { RunContext } from '../../cli/command.ts';
import { splitAtEquals, splitPair } from '../../cli/flags.ts';
import { SvcError } from '../../errors.ts';
import { parseJsonText } from '../../json-object.ts';

/** What svc adds to the path, and what people paste along all the same. */
const BASE_PATHS = { alerts: '/api/v2', webhooks: '/v1', catalog: '', trade: '' } as const;

interface RawPath {
  readonly path: string;
  /** With what svc adds to it, as the service sees it. */
  readonly whole: string;
  readonly query: Readonly<Record<string, readonly string[]>>;
}

const hint = 'write the path below the address of the service: /status';

/** `params` come after those that stand in the path. */
export function rawPath(text: string, service: keyof typeof BASE_PATHS, params: readonly string[]): RawPath {
  const refuse = (why: string, more = hint): SvcError =>
    new SvcError('invalid_value', `<path>: ${JSON.stringify(text)} ${why}`, { hint: more });
  if (!text.startsWith('/')) throw refuse('does not begin with /');
  // Where an address is resolved, what follows two slashes is a host.
  if (/^\/[/\\]/.test(text)) throw refuse('begins with two slashes, which would name another host');
  if (text.includes('#'))
    throw refuse('contains a fragment', 'remove the part that starts with "#", or write # as %23');
  if (!/^(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9a-f]{2})*$/i.test(text)) {
    throw refuse('contains a character that addresses cannot have', 'write it percent-encoded: a space is %20');
  }
  const cut = text.indexOf('?');
  const path = cut < 0 ? text : text.slice(0, cut);
  // Some servers decode first and go up the tree then.
  if (
    path
      .replace(/%2e/gi, '.')
      .split(/\/|\\|%2f|%5c/i)
      .some((segment) => segment === '.' || segment === '..')
  ) {
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

interface BodyInput {
  readonly field: readonly string[];
  readonly fieldJson: readonly string[];
  readonly body: string | undefined;
}

/** The trading gateway takes forms, the others JSON. The JSON of a file is sent as it is. */
export async function rawBody(
  { field, fieldJson, body }: BodyInput,
  form: boolean,
  ctx: Pick<RunContext, 'readInput'>,
): Promise<RawBody | undefined> {
  const hasFields = field.length + fieldJson.length > 0;
  if (body !== undefined && hasFields)
    throw new SvcError('usage', '--body and fields cannot be combined: each is a body');
  if (body !== undefined) {
    const text = bodyText(await ctx.readInput(body));
    if (form) return { encoding: 'form', body: grouped([...new URLSearchParams(text.trimEnd())]) };
    return { encoding: 'json-text', body: checkedJson(text) };
  }
  if (!hasFields) return undefined;
  if (!form) return { encoding: 'json', body: jsonFields(field, fieldJson) };
  if (fieldJson.length > 0) {
    throw new SvcError('usage', '--field-json: the trading gateway takes forms, whose fields are strings', {
      hint: 'pass -f key=value',
    });
  }
  return { encoding: 'form', body: grouped(field.map((one) => splitPair('--field', one))) };
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

function jsonFields(texts: readonly string[], values: readonly string[]): Readonly<Record<string, unknown>> {
  const fields: Record<string, unknown> = Object.create(null);
  const add = (name: string, value: unknown): void => {
    if (name in fields) throw new SvcError('invalid_value', `the field ${name} is given twice`);
    fields[name] = value;
  };
  for (const text of texts) add(...splitPair('--field', text));
  for (const text of values) {
    const [name, value] = splitAtEquals('--field-json', text);
    try {
      add(name, parseJsonText(value));
    } catch (error) {
      if (error instanceof SvcError) throw error;
      throw new SvcError('invalid_value', `--field-json: the value of ${name} is not JSON`, {
        hint: `for a string, pass -f ${name}=<text>`,
      });
    }
  }
  return fields;
}

function grouped(
  pairs: readonly (readonly [name: string, value: string])[],
): Readonly<Record<string, readonly string[]>> {
  const fields: Record<string, string[]> = Object.create(null);
  for (const [name, value] of pairs) fields[name] = [...(fields[name] ?? []), value];
  return fields;
}
