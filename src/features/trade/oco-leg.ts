/** A leg of a pair of orders as it is typed: `buy@1.17,stop=40pips,limit=80pips`. */
import { SvcError } from '../../errors.ts';
import type { OcoLeg } from './change-forms.ts';
import { checkExitPrices, checkSameUnit, checkTrailed, parseDistance, parseRate, parseTrail } from './order-rules.ts';

const PARTS = ['stop', 'limit', 'trail', 'trail-entry'];

export function parseLeg(text: string): OcoLeg {
  const [head = '', ...parts] = text.split(',').map((part) => part.trim());
  const [, side, rateText = ''] = /^(buy|sell)@(.+)$/.exec(head) ?? [];
  if (side === undefined) throw invalid(text, 'does not begin with buy@<price> or sell@<price>');
  const given = new Map<string, string>();
  for (const part of parts) {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/.exec(part) ?? [];
    if (!PARTS.includes(name)) throw invalid(text, `has ${JSON.stringify(part)}, which is none of ${PARTS.join(', ')}`);
    if (given.has(name)) throw invalid(text, `has ${name} twice`);
    given.set(name, value);
  }
  const of = <T>(name: string, parse: (value: string) => T): T | undefined => {
    const value = given.get(name);
    return value === undefined ? undefined : parse(value);
  };
  const leg: OcoLeg = {
    side: side === 'buy' ? 'buy' : 'sell',
    rate: parseRate(rateText, '--leg'),
    stop: of('stop', (value) => parseDistance(value, '--stop')),
    limit: of('limit', (value) => parseDistance(value, '--limit')),
    trail: of('trail', (value) => parseTrail(value)),
    trailEntry: of('trail-entry', (value) => parseTrail(value, '--trail-entry')),
  };
  checkSameUnit(leg.stop, leg.limit);
  checkTrailed(leg);
  checkExitPrices(leg, leg.rate.value);
  return leg;
}

/** Two, of which one field says for all stops and limits whether they are in pips. */
export function parseLegs(texts: readonly string[]): readonly [OcoLeg, OcoLeg] {
  const [first, second, ...more] = texts.map(parseLeg);
  if (first === undefined || second === undefined || more.length > 0) {
    throw new SvcError('usage', `a pair has two legs, and --leg is given ${times(texts.length)}`, {
      hint: "write --leg 'buy@1.17,stop=40pips' --leg 'sell@1.15,stop=40pips'",
    });
  }
  for (const one of [second.stop, second.limit]) {
    for (const other of [first.stop, first.limit]) checkSameUnit(one, other);
  }
  return [first, second];
}

function times(count: number): string {
  return count === 0 ? 'not at all' : count === 1 ? 'once' : `${count} times`;
}

function invalid(text: string, why: string): SvcError {
  return new SvcError('invalid_value', `--leg: ${JSON.stringify(text)} ${why}`, {
    hint: "write it like 'buy@1.17,stop=40pips,limit=80pips'",
  });
}
