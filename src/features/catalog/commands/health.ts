import { recordCommand } from '../../../cli/command.ts';
import type { RecordOutput } from '../../../output/types.ts';
import { openCatalog } from '../api.ts';
import type { Health } from '../schema.ts';

const HEALTH_RECORD: RecordOutput<Health> = {
  kind: 'record',
  columns: [{ name: 'status', cell: ({ status }) => ({ text: status, tone: isHealthy({ status }) ? 'good' : 'bad' }) }],
  id: ({ status }) => status,
};

export const catalogHealth = recordCommand({
  id: 'catalog health',
  summary: 'Check whether the catalog can read its data',
  description:
    'Sends one request and never retries: exit 0 if the status is ok, 1 if it is anything else, 7 if the catalog cannot read its data or cannot be reached.',
  effect: 'read',
  service: 'catalog',
  exits: ['condition_false'],
  examples: [
    { run: 'svc catalog health', why: 'Show the status' },
    { run: 'svc catalog health -q --timeout 5s', why: 'Use the exit status in a probe' },
  ],
  output: HEALTH_RECORD,
  async run(_, ctx) {
    const value = await openCatalog(ctx.target).health();
    return { value, code: isHealthy(value) ? undefined : 'condition_false' };
  },
});

function isHealthy({ status }: Pick<Health, 'status'>): boolean {
  return status.toLowerCase() === 'ok';
}
