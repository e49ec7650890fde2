/** A bot: it trades on `svc trade session` for a while, and keeps everything that the auditor compares. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { output, startSvc, type Variables } from '../../e2e/binary.ts';
import type { Command, JournalRow, Run, SessionEvent } from './auditor.ts';
import { pause } from './faults.ts';
import type { Gateway } from './gateway.ts';

/** Above this, the bot only closes. */
const MOST_TRADES = 40;

export interface Report {
  readonly run: Run;
  readonly code: number | null;
  /** What the document forbids and svc did. */
  readonly violations: readonly string[];
  readonly stderr: string;
  /** Resident memory of svc after a fifth of the time, and the most after that, in MiB. */
  readonly mibAtFifth: number;
  readonly mib: number;
}

export interface Plan {
  readonly gateway: Gateway;
  readonly random: () => number;
  readonly env: Variables;
  readonly ms: number;
  /** On average. */
  readonly commandsPerSecond: number;
  /** Called when the session is ready, before the first command. */
  readonly whenReady: (signal: AbortSignal) => void;
}

type Line = Command['line'];

export async function trade({ gateway, random, env, ms, commandsPerSecond, whenReady }: Plan): Promise<Report> {
  const { child, texts, ended } = startSvc(['trade', 'session', '--yes', '--drain', '8s', '-o', 'ndjson'], {
    env,
    input: 'open',
    unread: true,
  });
  const events: SessionEvent[] = [];
  const lines = createInterface({ input: child.stdout ?? process.stdin });
  lines.on('line', (line) => events.push({ ...(JSON.parse(line) as SessionEvent), receivedAt: performance.now() }));
  while (!events.some(({ event }) => event === 'ready')) {
    await Promise.race([once(lines, 'line'), once(lines, 'close').then(() => Promise.reject(new Error(texts.stderr)))]);
  }
  const over = new AbortController();
  whenReady(over.signal);
  void ended.then(() => over.abort());
  const began = performance.now();
  const end = setTimeout(() => over.abort(), ms);
  const memory: { at: number; mib: number }[] = [];
  const sampling = setInterval(
    () => memory.push({ at: performance.now() - began, mib: residentMiB(child.pid) }),
    1_000,
  );

  const commands: Command[] = [];
  const busy = new Set<string>();
  for (let serial = 1; !over.signal.aborted; serial++) {
    const line = next(gateway, random, `b${serial}`, busy, commands);
    commands.push({ at: performance.now(), line });
    child.stdin?.write(`${JSON.stringify(line)}\n`);
    // Now and then several at once.
    if (random() > 0.2) await pause((-Math.log(1 - random()) * 1_250) / commandsPerSecond, over.signal);
  }
  clearTimeout(end);
  clearInterval(sampling);
  const inputEnd = performance.now();
  child.stdin?.end();
  const { code } = await ended;
  const journal = (await output(['trade', 'journal', '-o', 'ndjson'], { env })).trim().split('\n');
  return {
    run: {
      commands,
      events,
      journal: journal.filter((line) => line !== '').map((line) => JSON.parse(line) as JournalRow),
      received: gateway.received,
      outages: gateway.outages,
      fills: gateway.book.fills,
      end: inputEnd,
    },
    code,
    violations: gateway.violations,
    stderr: texts.stderr,
    mibAtFifth: memory.find(({ at }) => at >= ms / 5)?.mib ?? 0,
    mib: Math.max(0, ...memory.filter(({ at }) => at >= ms / 5).map(({ mib }) => mib)),
  };
}

/** Closes and cancels what the gateway has. */
function next(gateway: Gateway, random: () => number, id: string, busy: Set<string>, before: readonly Command[]): Line {
  const take = (all: Iterable<string>): string | undefined => {
    const free = [...all].filter((one) => !busy.has(one));
    const one = free[Math.floor(random() * free.length)];
    if (one !== undefined) busy.add(one);
    return one;
  };
  const { positions, orders } = gateway.book;
  // By then its push was sent, however late.
  const isKnown = ({ tradeId, at }: { tradeId: string; at: number }): boolean =>
    positions.has(tradeId) && at < performance.now() - 2_000;
  const chance = random();
  if (chance < 0.35 || positions.size > MOST_TRADES) {
    const trade = take(gateway.book.fills.filter(isKnown).map(({ tradeId }) => tradeId));
    if (trade !== undefined) return { id, command: 'close', trade, amount: Number(positions.get(trade)?.['amountK']) };
  }
  if (chance < 0.45) {
    const order = take(
      [...orders.values()].filter((row) => row['isEntryOrder'] === true).map((row) => String(row['orderId'])),
    );
    if (order !== undefined) return { id, command: 'orders cancel', order };
  }
  const symbols = [...gateway.book.offers.keys()];
  const symbol = symbols[Math.floor(random() * symbols.length)] ?? 'EUR/USD';
  const side = random() < 0.5 ? 'buy' : 'sell';
  const amount = 1 + Math.floor(random() * 2_000);
  if (chance < 0.6) {
    const offer = gateway.book.offers.get(symbol) ?? {};
    const digits = Number(offer['fractionDigits']);
    const rate = Number((Number(offer['sell']) * (side === 'buy' ? 0.9 : 1.1)).toFixed(digits));
    return { id, command: `entry ${side}`, symbol, amount, rate };
  }
  // Some orders repeat an earlier one exactly.
  const earlier = before.findLast(({ line }) => line.command === 'buy' || line.command === 'sell');
  if (chance > 0.95 && earlier !== undefined) return { ...earlier.line, id };
  return { id, command: side, symbol, amount };
}

function residentMiB(pid: number | undefined): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
