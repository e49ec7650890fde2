/** The letters and numbers of the Order table in words, as seen on the public implementation; others are shown as they are. */

const TYPES: Readonly<Record<string, string>> = {
  S: 'stop',
  ST: 'trailing stop',
  L: 'limit',
  SE: 'stop entry',
  LE: 'limit entry',
  STE: 'trailing stop entry',
  LTE: 'trailing limit entry',
  C: 'close',
  CM: 'close at market',
  CR: 'close in range',
  O: 'open',
  OM: 'open at market',
  OR: 'open in range',
  M: 'margin call',
};

const STATES: readonly string[] = [
  'unknown',
  'waiting',
  'in process',
  'canceled',
  'requoted',
  'margin call',
  'executing',
  'pending',
  'equity stop',
  'executed',
  'activated',
];

export function orderTypeWords(type: string | undefined): string | undefined {
  return type === undefined ? undefined : (TYPES[type] ?? type);
}

/** An order may stay "executing" for ever although it is filled: only its positions tell. */
export function orderStateWords(status: number | undefined): string | undefined {
  return status === undefined ? undefined : (STATES[status] ?? String(status));
}
