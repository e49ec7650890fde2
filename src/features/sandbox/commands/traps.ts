import { listCommand } from '../../../cli/command.ts';
import { TRAPS } from '../../../sandbox/traps.ts';

interface Trap {
  readonly trap: string;
  readonly service: string;
  readonly effect: string;
}

export const sandboxTraps = listCommand({
  id: 'sandbox traps',
  summary: 'List the faults that a sandbox can imitate',
  description: 'A trap makes a service misbehave as real services do. Pass its name to svc sandbox start or run.',
  effect: 'read',
  examples: [{ run: 'svc sandbox traps', why: 'List all traps' }],
  output: {
    kind: 'list',
    columns: [
      { name: 'trap', cell: ({ trap }: Trap) => trap },
      { name: 'service', cell: ({ service }) => service },
      { name: 'effect', cell: ({ effect }) => effect, shrinks: true },
    ],
    id: ({ trap }) => trap,
  },
  async run() {
    const value = Object.entries(TRAPS).flatMap(([service, traps]) =>
      Object.entries(traps).map(([trap, effect]): Trap => ({ trap, service, effect })),
    );
    return { value };
  },
});
