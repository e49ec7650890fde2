/** The command lines that act on an alert, and the links that it has. */
import { webAddress } from '../../../cli/browser.ts';
import { escapeText, shellWord } from '../../../output/escape.ts';
import { formatMatcher, matcher } from '../matcher.ts';
import type { Alert } from '../schema.ts';

/** The words after `svc`. */
export type CommandLine = readonly string[];

export function acknowledging({ fingerprint }: Alert, comment: string): CommandLine {
  return ['silences', 'ack', fingerprint, ...(comment === '' ? [] : [`--comment=${comment}`])];
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

/** Undefined if no silence mutes the alert. */
export function expiring({ status }: Alert): CommandLine | undefined {
  return status.silencedBy.length === 0 ? undefined : ['silences', 'expire', ...status.silencedBy];
}

/** For a shell. */
export function spelled(line: CommandLine): string {
  return escapeText(['svc', ...line].map(shellWord).join(' '));
}

/** They match this alert and any other with all of its labels. The alert name is first. */
export function matchersText({ labels }: Alert): string {
  const names = Object.keys(labels).sort(
    (a, b) => Number(b === 'alertname') - Number(a === 'alertname') || order(a, b),
  );
  return names.map((name) => formatMatcher(matcher(name, '=', labels[name] ?? ''))).join(', ');
}

function order(a: string, b: string): number {
  return a < b ? -1 : 1;
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
