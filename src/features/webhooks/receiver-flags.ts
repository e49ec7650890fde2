/** The options of whoever sends deliveries to a receiver. */
import type { Flags } from '../../cli/flags.ts';

export const RECEIVER_FLAGS = {
  to: {
    type: 'string',
    value: 'url',
    required: true,
    help: 'Where the receiver is; quote an address that holds "&"',
  },
  concurrency: { type: 'integer', value: 'n', min: 1, max: 32, default: 1, help: 'How many at once' },
  deadline: { type: 'duration', positive: true, default: '5s', help: 'How long to wait for an answer' },
  insecure: { type: 'boolean', help: 'Do not check the certificate of the receiver' },
} as const satisfies Flags;
