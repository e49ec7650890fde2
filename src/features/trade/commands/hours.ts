import { recordCommand } from '../../../cli/command.ts';

interface Hours {
  readonly state: 'open' | 'opening' | 'closed';
  readonly now: string;
  readonly opens_at: string;
  readonly closes_at: string;
}

export const tradeHours = recordCommand({
  id: 'trade hours',
  summary: 'Show when the forex market opens and closes',
  description:
    'Forex trades from Sunday 17:00 to Friday about 16:55, New York time. Works offline. Holidays and the hours of other products are not known.',
  details:
    'The state is opening between 17:00 and 17:15 on Sunday, when prices may still be missing. The clocks of New York and Europe change on different days.',
  effect: 'read',
  flags: {
    at: { type: 'time', bare: 'forward', help: 'Time to check (default: now)' },
    'require-open': { type: 'boolean', help: 'Exit 1 unless the market is open' },
  },
  exits: ['condition_false'],
  examples: [
    { run: 'svc trade hours', why: 'Check the market now' },
    { run: 'svc trade hours --at 2026-11-01T21:30:00Z', why: "Check the Sunday after New York's clocks changed" },
    { run: 'svc trade hours --require-open -q', why: 'Test in a script: exit 1 unless open' },
  ],
  output: {
    kind: 'record',
    columns: [
      { name: 'state', cell: ({ state }: Hours) => ({ text: state, tone: state === 'closed' ? 'warn' : 'good' }) },
      { name: 'now', cell: ({ now }) => ({ time: now }) },
      { name: 'opens', cell: ({ opens_at }) => ({ time: opens_at }) },
      { name: 'closes', cell: ({ closes_at }) => ({ time: closes_at }) },
    ],
    id: ({ state }) => state,
  },
  async run({ at, requireOpen }, ctx) {
    const { marketHours } = await import('../market-hours.ts');
    const now = at?.ms ?? ctx.now();
    const { state, opensAt, closesAt } = marketHours(now);
    const value: Hours = {
      state,
      now: new Date(now).toISOString(),
      opens_at: new Date(opensAt).toISOString(),
      closes_at: new Date(closesAt).toISOString(),
    };
    return requireOpen && state !== 'open' ? { value, code: 'condition_false' } : { value };
  },
});
