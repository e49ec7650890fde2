/** How long svc takes, apart from the gateway. */
import { group, isUndisturbed, type Run, shapeOfCommand, shapeOfRequest } from './auditor.ts';

export interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly count: number;
}

export interface Figures {
  /** From the command to its event, without the time the gateway needed. */
  readonly order: Latency;
  /** From the close to its request at the gateway. */
  readonly close: Latency;
  /** From an outage to its event. */
  readonly outage: Latency;
}

/** Of undisturbed commands. */
export function figures(run: Run): Figures {
  const events = group(run.events, ({ id }) => id);
  const orders: number[] = [];
  const closes: number[] = [];
  const requests = group(run.received, shapeOfRequest);
  for (const command of run.commands) {
    const [request, ...others] = requests.get(shapeOfCommand(command)) ?? [];
    const accepted = events.get(command.line.id)?.find(({ event }) => event === 'accepted');
    if (request?.answeredAt === undefined || others.length > 0 || accepted === undefined) continue;
    if (!isUndisturbed(run, command.at)) continue;
    if (request.fault === 'none') orders.push(accepted.receivedAt - command.at - (request.answeredAt - request.at));
    if (command.line.command === 'close') closes.push(request.at - command.at);
  }
  const outages = run.outages.flatMap(({ from }) => {
    const states = run.events.filter(({ event }) => ['ready', 'recovered', 'unreachable'].includes(event));
    const before = states.findLast(({ receivedAt }) => receivedAt < from);
    const seen = states.find(({ event, receivedAt }) => event === 'unreachable' && receivedAt >= from);
    return seen === undefined || before?.event === 'unreachable' ? [] : [seen.receivedAt - from];
  });
  return { order: latency(orders), close: latency(closes), outage: latency(outages) };
}

function latency(all: readonly number[]): Latency {
  const sorted = [...all].sort((a, b) => a - b);
  const at = (share: number): number =>
    Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1));
  return { p50: at(0.5), p99: at(0.99), count: sorted.length };
}
