/** Alerts before they are sent: from labels on the command line, or from a JSON file that is checked whole. */
import { SvcError } from '../../errors.ts';
import type { Plan } from '../../http/endpoint.ts';
import type { Alertmanager } from './api.ts';
import { parseJson } from './json-file.ts';
import { formatMatcher } from './matcher.ts';
import { parseMatcherArguments } from './matcher-argument.ts';
import type { PostableAlert } from './schema.ts';

/** `name=value` each; a bare word in front is the alert's name. */
export function parseLabels(args: readonly string[]): Record<string, string> {
  const labels = new Map<string, string>();
  for (const matcher of parseMatcherArguments(args).matchers) {
    if (matcher.isRegex || !matcher.isEqual) {
      throw new SvcError('invalid_value', `${formatMatcher(matcher)} is no label: an alert's labels are name=value`);
    }
    if (matcher.value === '') {
      throw new SvcError(
        'invalid_value',
        `the label ${matcher.name} is empty, and to the server an empty label is none`,
      );
    }
    if (labels.has(matcher.name)) throw new SvcError('invalid_value', `the label ${matcher.name} is given twice`);
    labels.set(matcher.name, matcher.value);
  }
  return Object.fromEntries(labels);
}

export interface AlertFileRules {
  /** The file's name, for messages. */
  readonly source: string;
  /** For an alert that says none: always sent, because an end without a start makes the server take the end for the start. */
  readonly startsAt: string;
  /** A time as a person may write it → RFC 3339 in UTC. Throws what it refuses. */
  readonly instant: (text: string) => string;
}

/** One object or an array. The server stores the good ones of a batch that it refuses, so the batch is checked here. */
export async function parseAlertFile(
  bytes: Uint8Array,
  { source, startsAt, instant }: AlertFileRules,
): Promise<readonly PostableAlert[]> {
  const value = parseJson(bytes, source);
  const items: unknown[] = Array.isArray(value) ? value : [value];
  if (items.length === 0) throw new SvcError('invalid_value', `${source}: the array is empty`);
  const { postableAlert } = await import('./schema.ts');
  return items.map((item, index) => {
    const where = items.length === 1 ? source : `${source}, alert ${index + 1}`;
    const parsed = postableAlert.safeParse(item);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new SvcError(
        'invalid_value',
        `${where}: ${issue?.path.join('.') || 'the alert'}: ${issue?.message ?? 'not valid'}`,
      );
    }
    const time = (name: 'startsAt' | 'endsAt'): string | undefined => {
      const text = parsed.data[name];
      // Both mean "not said" to the server, which has surprising defaults for an empty text.
      if (text === undefined || text === null || text === '') return undefined;
      try {
        return instant(text);
      } catch (error) {
        if (error instanceof SvcError)
          throw new SvcError('invalid_value', `${where}: ${name}: ${error.message}`, { cause: error });
        throw error;
      }
    };
    const { startsAt: _start, endsAt: _end, ...rest } = parsed.data;
    const end = time('endsAt');
    const alert: PostableAlert = {
      ...rest,
      startsAt: time('startsAt') ?? startsAt,
      ...(end === undefined ? {} : { endsAt: end }),
    };
    checkAlert(alert, where);
    return alert;
  });
}

/** Refuses what the server would refuse, or would take in another sense. */
export function checkAlert({ labels, startsAt, endsAt }: PostableAlert, where: string): void {
  if (Object.values(labels).every((value) => value === ''))
    throw new SvcError('invalid_value', `${where}: has no label`);
  if (startsAt !== undefined && endsAt !== undefined && Date.parse(endsAt) < Date.parse(startsAt)) {
    throw new SvcError('invalid_value', `${where}: would end (${endsAt}) before it starts (${startsAt})`);
  }
}

/** A dry run returns its plan. */
export async function sendAlerts(
  alertmanager: Alertmanager,
  alerts: readonly PostableAlert[],
): Promise<Plan | undefined> {
  try {
    return await alertmanager.postAlerts(alerts);
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'refused' || error.httpStatus !== 400 || alerts.length < 2)
      throw error;
    // Of a batch that it answers with 400 the server has stored what was good.
    throw new SvcError(
      'partly_done',
      `${error.message}; the server may have stored the other alerts of the ${alerts.length}`,
      {
        hint: 'look: svc alerts list -a',
        httpStatus: error.httpStatus,
        cause: error,
      },
    );
  }
}
