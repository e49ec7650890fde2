import { SvcError } from '../../../errors.ts';
import { type OcoLeg } from '../orders/forms.ts';
import { checkExitPrices, checkSameUnit, checkTrailed, parseDistance, parseRate, parseTrail } from '../orders/rules.ts';

const PARTS = ['stop', 'limit', 'trail', 'trail-entry'];

export function parseLeg(text: string): OcoLeg {
  const [head = '', ...parts] = text.split(',').map((part) => part.trim());
  const [, side, rateText = ''] = /^(buy|sell)@(.+)$/.exec(head) ?? [];
  if (side === undefined) throw invalid(text, 'must begin with buy@<price> or sell@<price>');
  const given = new Map<string, string>();
  for (const part of parts) {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/.exec(part) ?? [];
    if (!PARTS.includes(name)) throw invalid(text, `has ${JSON.stringify(part)}; expected ${PARTS.join(', ')}`);
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

/** Exactly two. One form field sets the unit of all stops and limits. */
export function parseLegs(texts: readonly string[]): readonly [OcoLeg, OcoLeg] {
  const [first, second, ...more] = texts.map(parseLeg);
  if (first === undefined || second === undefined || more.length > 0) {
    throw new SvcError('usage', `an OCO pair needs exactly two --leg options, not ${texts.length}`, {
      hint: "write --leg 'buy@1.17,stop=40pips' --leg 'sell@1.15,stop=40pips'",
    });
  }
  for (const one of [second.stop, second.limit]) {
    for (const other of [first.stop, first.limit]) checkSameUnit(one, other);
  }
  return [first, second];
}

function invalid(text: string, why: string): SvcError {
  return new SvcError('invalid_value', `--leg: ${JSON.stringify(text)} ${why}`, {
    hint: "write it like 'buy@1.17,stop=40pips,limit=80pips'",
  });
}
