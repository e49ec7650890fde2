/** Matchers made of alerts: what they have in common, so that a silence of it mutes them. */
import { SvcError } from '../../errors.ts';
import { type Matcher, matcher } from './matcher.ts';
import type { Alert } from './schema.ts';

/**
 * One equality for each label that all the alerts have with the same value, without the labels of `drop`; the name of the
 * alert first. Throws where nothing is left, which would be a silence of everything.
 */
export function matchersOfAlerts(
  alerts: readonly Pick<Alert, 'labels' | 'fingerprint'>[],
  drop: readonly string[] = [],
): Matcher[] {
  const [first, ...others] = alerts;
  const common = Object.entries(first?.labels ?? {}).filter(([name, value]) =>
    others.every(({ labels }) => Object.hasOwn(labels, name) && labels[name] === value),
  );
  if (common.length === 0) {
    throw new SvcError('guarded', `these ${alerts.length} alerts have no label in common`, {
      hint: 'name alerts that belong together, or one at a time',
    });
  }
  const left = common.filter(([name]) => !drop.includes(name));
  if (left.length === 0) {
    throw new SvcError('guarded', `--drop leaves no label of ${common.map(([name]) => name).join(', ')}`, {
      hint: 'keep at least one that says which alerts are meant',
    });
  }
  return left.sort(byName).map(([name, value]) => matcher(name, '=', value));
}

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  if (a === 'alertname' || b === 'alertname') return a === 'alertname' ? -1 : 1;
  return a < b ? -1 : 1;
}
