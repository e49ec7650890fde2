/** The command lines that act on alerts, and the links of an alert. */
import { webAddress } from '../../../cli/browser.ts';
import { escapeText, shellWord } from '../../../output/escape.ts';
import { formatMatcher, matcher } from '../matcher.ts';
import type { Alert } from '../schema.ts';

/** The words after `svc`. */
export type CommandLine = readonly string[];

export function acknowledging(alerts: readonly Alert[], comment: string): CommandLine {
  const ids = alerts.map(({ fingerprint }) => fingerprint);
  return ['silences', 'ack', ...ids, ...(comment === '' ? [] : [`--comment=${comment}`])];
}

export interface SilenceDraft {
  readonly matchers: readonly string[];
  readonly duration: string;
  readonly comment: string;
}

/** With `--ensure`, a line that is run again finds the silence of the first time. */
export function silencing({ matchers, duration, comment }: SilenceDraft): CommandLine {
  return ['silences', 'create', ...matchers, '--for', duration, `--comment=${comment}`, '--ensure'];
}

/** Undefined if no silence mutes any of them. */
export function expiring(alerts: readonly Alert[]): CommandLine | undefined {
  const ids = new Set(alerts.flatMap(({ status }) => status.silencedBy));
  return ids.size === 0 ? undefined : ['silences', 'expire', ...ids];
}

/** For a shell. */
export function spelled(line: CommandLine): string {
  return escapeText(['svc', ...line].map(shellWord).join(' '));
}

/** The labels that all of them have with the same value. The alert name is first. */
export function matchersText([{ labels }, ...others]: readonly [Alert, ...Alert[]]): string {
  const shared = Object.keys(labels).filter((name) => others.every((one) => one.labels[name] === labels[name]));
  const names = shared.sort().sort((a, b) => Number(b === 'alertname') - Number(a === 'alertname'));
  return names.map((name) => formatMatcher(matcher(name, '=', labels[name] ?? ''))).join(', ');
}

export interface Link {
  readonly name: string;
  readonly url: string;
}

/** The runbook, web addresses among the annotations, and the graph. */
export function linksOf({ annotations, generatorURL }: Alert): readonly Link[] {
  const named = [...Object.entries(annotations), ['graph', generatorURL] as const];
  const all = named.flatMap(([name, text]): Link[] => {
    const url = webAddress(text);
    return url === undefined ? [] : [{ name, url }];
  });
  const isRunbook = ({ name }: Link): boolean => name.startsWith('runbook');
  return [...all.filter(isRunbook), ...all.filter((link) => !isRunbook(link))];
}
