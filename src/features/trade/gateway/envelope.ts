/**
 * What a response says about its request. `response.executed` distinguishes success from failure,
 * both with status 200. The error of doc 3 §7 is the body or `response.error`, as an object or as
 * JSON in a string. There are also plain sentences, and a second shape (seen on the public
 * implementation).
 */
import { isObject, jsonText, parseJsonText } from '../../../json-object.ts';
import type { Envelope } from '../schema.ts';

export interface TradingError {
  readonly code: number | undefined;
  /** In one line, with its parameters filled in unless the message contains them. */
  readonly message: string;
  /** Undefined if the error has none: the documented shape always has them. */
  readonly parameters: readonly string[] | undefined;
  readonly requestId: string | undefined;
  /** The cause, if svc acts on it. */
  readonly fault: TradingFault | undefined;
  /** Of `ORA-20301`: 20301. */
  readonly ora: number | undefined;
  /** The command number that an ORA-20301 names (doc 3 §7). */
  readonly cmd: number | undefined;
}

/** Given by the gateway as a code in its text or as text alone; only `FAULTS` interprets them. */
export type TradingFault = 'rate_exceeded' | 'unauthorized' | 'forbidden' | 'invalid_range';

/** Doc 3 §7: a rate limit is used up. */
export const RATE_EXCEEDED = 20301;

/** The codes and sentences as seen on the public implementation, except ORA-20301. */
const FAULTS: readonly (readonly [fault: TradingFault, ora: number | undefined, text: RegExp | undefined])[] = [
  ['rate_exceeded', RATE_EXCEEDED, /number of API requests .*exceeded/i],
  ['unauthorized', 20103, /^(unauthori[sz]ed|not authori[sz]ed)\b/i],
  ['forbidden', 20102, undefined],
  ['invalid_range', undefined, /invalid from\/to/i],
];

/** A string may be as long as a response. */
const LONGEST_MESSAGE = 4096;

export interface Verdict {
  /** Undefined if the response does not say. */
  readonly executed: boolean | undefined;
  readonly error: TradingError | undefined;
}

export function verdictOf(body: Envelope): Verdict {
  const error = tradingError(body.response?.error) ?? bareError(body);
  // A coded error is a response, even without `executed`; a sentence alone is not.
  const isCoded = error?.code !== undefined || error?.ora !== undefined;
  return { executed: body.response?.executed ?? (isCoded ? false : undefined), error };
}

/** The error that is the complete body: of a success, or of a response with any other status. */
export function bareError(body: unknown): TradingError | undefined {
  if (!isObject(body)) return tradingError(typeof body === 'string' ? body : undefined);
  const names = new Set(Object.keys(body).map((name) => name.toLowerCase()));
  return names.has('code') && names.has('message') ? tradingError(body) : undefined;
}

/** Undefined if there is none: absent, null or empty. */
export function tradingError(error: unknown): TradingError | undefined {
  if (error === undefined || error === null || error === '') return undefined;
  const value = typeof error === 'string' ? embedded(error) : error;
  if (typeof value !== 'object' || value === null) return errorOf(String(value), undefined, undefined, undefined);
  const fields = new Map(Object.entries(value).map(([name, field]) => [name.toLowerCase(), field]));
  const text = fields.get('message') ?? fields.get('text') ?? '';
  const parameters = fields.get('parameters');
  const code = numberOf(fields.get('code'));
  const requestId = fields.get('requestid');
  return errorOf(
    jsonText(text),
    code,
    Array.isArray(parameters) ? parameters.map(jsonText) : undefined,
    typeof requestId === 'string' ? requestId : undefined,
  );
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

function embedded(text: string): unknown {
  if (!text.trimStart().startsWith('{')) return text;
  try {
    return parseJsonText(text);
  } catch {
    return text;
  }
}

function errorOf(
  text: string,
  code: number | undefined,
  parameters: readonly string[] | undefined,
  requestId: string | undefined,
): TradingError {
  // "The Stop distance must be " with ["<", 0] is half a sentence.
  const start = text.slice(0, LONGEST_MESSAGE);
  const whole = /\S\s$/.test(start) ? start + (parameters ?? []).join(' ') : start;
  const message = whole.trim().replace(/\s+/g, ' ');
  const number = (pattern: RegExp): number | undefined => {
    const digits = pattern.exec(message)?.[1];
    return digits === undefined ? undefined : Number(digits);
  };
  const ora = number(/ORA-(\d{5})/i);
  return {
    code,
    message: message === '' ? 'no reason given' : message,
    parameters,
    requestId,
    fault: FAULTS.find(([, named, pattern]) => (named !== undefined && named === ora) || pattern?.test(message))?.[0],
    ora,
    cmd: number(/Cmd\s*=\s*(\d+)/i),
  };
}
