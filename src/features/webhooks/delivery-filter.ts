/** Which deliveries of a file a command uses. */
import type { Flags, Instant } from '../../cli/flags.ts';
import { type Delivery, headerValues, readEvent } from './delivery.ts';
import { EVENT_FLAG, eventFilter } from './event-types.ts';

const GROUP = 'Filter options';

export const FILTER_FLAGS = {
  since: { type: 'time', bare: 'back', group: GROUP, help: 'Only deliveries received since this time' },
  until: { type: 'time', bare: 'back', group: GROUP, help: 'Only deliveries received until this time' },
  event: { ...EVENT_FLAG, group: GROUP },
  status: {
    type: 'choice',
    choices: ['delivered', 'failed'],
    group: GROUP,
    help: 'Only with this recorded outcome',
  },
} as const satisfies Flags;

interface FilterInput {
  /** Both included. */
  readonly since: Instant | undefined;
  readonly until: Instant | undefined;
  readonly event: readonly string[];
  readonly status: 'delivered' | 'failed' | undefined;
}

/** Counts what it leaves out. Throws `invalid_value` for an event type that the service does not have. */
export class DeliveryFilter {
  readonly #input: FilterInput;
  readonly #prefix: string;
  readonly #types: readonly string[];
  /** By option. */
  readonly #leftOut = new Map<string, number>();

  /** `prefix` is that of the service's headers. */
  constructor(input: FilterInput, prefix: string) {
    this.#input = input;
    this.#prefix = prefix;
    this.#types = eventFilter(input.event);
  }

  /** The type is the one in the body where that was read; otherwise the header says it, if there is one. */
  takes(delivery: Delivery, type?: string | null): boolean {
    const option = this.#against(delivery, type);
    if (option !== undefined) this.leaveOut(option);
    return option === undefined;
  }

  leaveOut(option: string): void {
    this.#leftOut.set(option, (this.#leftOut.get(option) ?? 0) + 1);
  }

  report(notice: (text: string) => void): void {
    if (this.#leftOut.size === 0) return;
    notice(`skipped: ${[...this.#leftOut].map(([option, count]) => `${count} by ${option}`).join(', ')}`);
  }

  #against(delivery: Delivery, type: string | null | undefined): string | undefined {
    const { since, until, status } = this.#input;
    const { receivedS, failed } = delivery;
    if (receivedS === undefined && (since ?? until) !== undefined) return NO_TIME;
    const receivedMs = (receivedS ?? 0) * 1000;
    if (since !== undefined && receivedMs < since.ms) return '--since';
    if (until !== undefined && receivedMs > until.ms) return '--until';
    if (status !== undefined && failed !== (status === 'failed')) return '--status';
    if (this.#types.length === 0) return undefined;
    const found = type === undefined ? this.#typeOf(delivery) : type;
    return this.#types.includes(found ?? '') ? undefined : '--event';
  }

  #typeOf({ headers, body }: Delivery): string | undefined {
    return headerValues(headers, `${this.#prefix}Event`)[0] ?? readEvent(body)?.type;
  }
}

const NO_TIME = '--since or --until (their time of receipt is unknown)';
