import { recordCommand } from '../../../cli/command.ts';

interface Hours {
  readonly state: 'open' | 'opening' | 'closed';
  readonly now: string;
  readonly opens_at: string;
  readonly closes_at: string;
  /** The same two as New York's clocks show them. */
  readonly opens_new_york: string;
  readonly closes_new_york: string;
}

export const tradeHours = recordCommand({
  id: 'trade hours',
  summary: 'Whether forex is traded now, and when it opens and closes next',
  description:
    'From Sunday, between 17:00 and 17:15, to Friday, around 16:55, in New York, whose clocks change on other days than those of Europe. Asks nobody: holidays, and the hours of other products, are not known here. --require-open makes a closed market exit status 1; while it is opening, prices may not have come yet.',
  effect: 'read',
  flags: {
    at: { type: 'time', bare: 'forward', help: 'At this time instead of now' },
    'require-open': { type: 'boolean', help: 'Exit status 1 unless it is open' },
  },
  exits: ['condition_false'],
  examples: [
    { run: 'svc trade hours', why: 'Now' },
    { run: 'svc trade hours --at 2026-11-01T21:30:00Z', why: "On the Sunday after New York's clocks went back" },
    { run: 'svc trade hours --require-open -q', why: 'For a script: exit status 1 unless it is open' },
  ],
  output: {
    kind: 'record',
    columns: [
      {
        name: 'state',
        cell: ({ state }: Hours) => ({ text: state, tone: state === 'closed' ? 'warn' : 'good' }),
      },
      { name: 'now', cell: ({ now }) => ({ time: now }) },
      { name: 'opens', cell: ({ opens_at }) => ({ time: opens_at }) },
      { name: 'opens-new-york', cell: ({ opens_new_york }) => opens_new_york },
      { name: 'closes', cell: ({ closes_at }) => ({ time: closes_at }) },
      { name: 'closes-new-york', cell: ({ closes_new_york }) => closes_new_york },
    ],
    id: ({ state }) => state,
  },
  async run({ at, requireOpen }, ctx) {
    const { marketHours, newYorkText } = await import('../market-hours.ts');
    const now = at?.ms ?? ctx.now();
    const { state, opensAt, closesAt } = marketHours(now);
    const value: Hours = {
      state,
      now: new Date(now).toISOString(),
      opens_at: new Date(opensAt).toISOString(),
      closes_at: new Date(closesAt).toISOString(),
      opens_new_york: newYorkText(opensAt),
      closes_new_york: newYorkText(closesAt),
    };
    return requireOpen && state !== 'open' ? { value, code: 'condition_false' } : { value };
  },
});
