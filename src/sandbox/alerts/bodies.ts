/**
 * The bodies of POST requests, checked in the server's two steps: a value of the wrong type is a 400, one that is missing or
 * has the wrong form a 422. Neither uses svc's own schemas.
 */
import type { LabelSet } from './fingerprint.ts';
import type { Matcher } from './matcher.ts';
import { Refused } from './requests.ts';
import { parseServerTime, type ServerTime } from './times.ts';

export interface PostedSilence {
  readonly id: string;
  readonly matchers: readonly Matcher[];
  readonly startsAt: ServerTime;
  readonly endsAt: ServerTime;
  readonly createdBy: string;
  readonly comment: string;
}

export interface PostedAlert {
  readonly labels: LabelSet;
  readonly annotations: LabelSet;
  readonly generatorURL: string;
  /** Undefined where none was sent. */
  readonly startsAt: ServerTime | undefined;
  readonly endsAt: ServerTime | undefined;
}

/** A link as Go's `url.ParseRequestURI` accepts it: an absolute path, or a scheme and what can follow it. */
const LINK =
  /^(?:(?:[a-z][a-z\d+.-]*:)?\/(?!\/)|[a-z][a-z\d+.-]*:(?!\/)|[a-z][a-z\d+.-]*:\/\/(?:[^\s/?@]*@)?(?:\[[^\]/]*\]|[^\s/?:[\]"<>^`{|}\\%]*)(?::\d*)?(?:[/?]|$))/i;

export function decodeSilence(body: string): PostedSilence {
  const fields = fieldsOf(firstValue('silence', body));
  const sent = {
    id: text(fields.get('id')),
    comment: text(fields.get('comment')),
    createdBy: text(fields.get('createdby')),
    endsAt: time(fields.get('endsat')),
    matchers: list(fields.get('matchers'))?.map((item) => {
      if (item === null) return undefined;
      const matcher = fieldsOf(item);
      return {
        isRegex: flag(matcher.get('isregex')),
        name: text(matcher.get('name')),
        value: text(matcher.get('value')),
        isEqual: flag(matcher.get('isequal')),
      };
    }),
    startsAt: time(fields.get('startsat')),
  };
  const comment = required(sent.comment, 'comment');
  const createdBy = required(sent.createdBy, 'createdBy');
  const endsAt = required(sent.endsAt, 'endsAt');
  const items = required(sent.matchers, 'matchers');
  if (items.length === 0) throw new Refused(422, 'matchers in body should have at least 1 items', 612);
  const matchers = items.map((matcher, index) => {
    // The real server panics, and drops the connection.
    if (matcher === undefined) throw new TypeError('a matcher is null');
    return {
      isRegex: required(matcher.isRegex, `matchers.${index}.isRegex`),
      name: required(matcher.name, `matchers.${index}.name`),
      value: required(matcher.value, `matchers.${index}.value`),
      isEqual: matcher.isEqual ?? true,
    };
  });
  return { id: sent.id ?? '', comment, createdBy, endsAt, startsAt: required(sent.startsAt, 'startsAt'), matchers };
}

export function decodeAlerts(body: string): PostedAlert[] {
  const alerts = (list(firstValue('alerts', body)) ?? []).map((item) => {
    if (item === null) throw new TypeError('an alert is null');
    const fields = fieldsOf(item);
    return {
      annotations: labelSet(fields.get('annotations')) ?? {},
      endsAt: time(fields.get('endsat')),
      startsAt: time(fields.get('startsat')),
      generatorURL: text(fields.get('generatorurl')) ?? '',
      labels: labelSet(fields.get('labels')),
    };
  });
  return alerts.map((alert, index) => {
    const link = alert.generatorURL;
    if (link !== '' && !(LINK.test(link) && !/[\0-\x1f\x7f]|%(?![\da-f]{2})/i.test(link))) {
      throw new Refused(422, `${index}.generatorURL in body must be of type uri: ${JSON.stringify(link)}`, 601);
    }
    return { ...alert, labels: required(alert.labels, `${index}.labels`) };
  });
}

/** The first JSON value of a body: Go's decoder ignores what follows it. */
function firstValue(parameter: string, body: string): unknown {
  if (body.trim() === '') return required(undefined, parameter);
  let depth = 0;
  let end = body.length;
  for (const { 0: token, index } of body.matchAll(/"(?:\\.|[^"\\])*"|[[\]{}]/gs)) {
    if ('[{'.includes(token)) depth++;
    else if (']}'.includes(token)) depth--;
    if (depth > 0) continue;
    end = index + token.length;
    break;
  }
  try {
    return JSON.parse(body.slice(0, end));
  } catch (error) {
    throw new Refused(400, `parsing ${parameter} body failed: ${(error as Error).message}`, 400);
  }
}

function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Refused(422, `${name} in body is required`, 602);
  return value;
}

/** A value that was sent, or undefined; null counts as not sent. */
function sent<T>(value: unknown, type: string, isType: (some: unknown) => some is T): T | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isType(value)) throw new Refused(400, `parsing the body failed: ${JSON.stringify(value)} is not ${type}`, 400);
  return value;
}

function text(value: unknown): string | undefined {
  return sent(value, 'a string', (some) => typeof some === 'string');
}

function flag(value: unknown): boolean | undefined {
  return sent(value, 'a boolean', (some) => typeof some === 'boolean');
}

function list(value: unknown): readonly unknown[] | undefined {
  return sent(value, 'an array', (some) => Array.isArray(some));
}

function object(value: unknown): object | undefined {
  return sent(value, 'an object', (some): some is object => typeof some === 'object' && !Array.isArray(some));
}

/** By name in small letters: their case does not count, and the last of several wins. */
function fieldsOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(object(value) ?? {}).map(([name, field]) => [name.toLowerCase(), field]));
}

function time(value: unknown): ServerTime | undefined {
  const sentText = text(value);
  if (sentText === undefined) return undefined;
  const parsed = parseServerTime(sentText);
  if (parsed === undefined) throw new Refused(400, `parsing time ${JSON.stringify(sentText)} failed`, 400);
  return parsed;
}

function labelSet(value: unknown): LabelSet | undefined {
  const labels = object(value);
  return labels && Object.fromEntries(Object.entries(labels).map(([name, label]) => [name, text(label) ?? '']));
}
