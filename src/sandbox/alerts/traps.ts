/** Switches for what real alert managers and proxies in front of them do to their clients. */
export const ALERTS_TRAPS = {
  'mute-interval':
    'a time interval mutes the alerts of payments-chat, which only the groups say, as in Alertmanager 0.28 and newer',
  'sparse-alerts': 'the first alert of a list has no annotations, receivers, update and end times, and no silencedBy',
  'error-200': 'every request is answered 200, with the text of an error',
} as const satisfies Readonly<Record<string, string>>;

export type AlertsTrap = keyof typeof ALERTS_TRAPS;

export const ERROR_TEXT = 'error: no such tenant\n';
export const INTERVAL = 'always';
export const MUTED_RECEIVER = 'payments-chat';

/** The configuration with the interval in it. */
export function withInterval(config: string): string {
  const muted = config.replace(
    `receiver: ${MUTED_RECEIVER}\n`,
    (line) => `${line}    mute_time_intervals: [${INTERVAL}]\n`,
  );
  return `${muted}time_intervals:\n- name: ${INTERVAL}\n  time_intervals:\n  - weekdays: ['sunday:saturday']\n`;
}

export function sparse([first, ...others]: readonly { readonly status: object }[]): readonly object[] {
  if (first === undefined) return [];
  const rest = without(first, ['annotations', 'receivers', 'updatedAt', 'endsAt']);
  return [{ ...rest, status: without(first.status, ['silencedBy']) }, ...others];
}

function without(value: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}
