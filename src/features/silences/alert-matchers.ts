/** Matchers made of the labels of an alert. */
import { SvcError } from '../../errors.ts';
import { unknownLabel } from '../alerts/known-names.ts';
import { type Matcher, matcher } from '../alerts/matcher.ts';

type Labels = Readonly<Record<string, string>>;

/** One equality for each label, without those of `drop`; the name of the alert first. Throws where nothing is left. */
export function matchersOfLabels(labels: Labels, drop: readonly string[] = []): Matcher[] {
  for (const name of drop) if (!Object.hasOwn(labels, name)) throw unknownLabel('--drop', name, Object.keys(labels));
  const left = Object.entries(labels).filter(([name]) => !drop.includes(name));
  if (left.length === 0) {
    throw new SvcError('guarded', `--drop leaves no label of ${Object.keys(labels).join(', ')}`, {
      hint: 'leave at least one that says which alerts are meant',
    });
  }
  return left.sort(byName).map(([name, value]) => matcher(name, '=', value));
}

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  if (a === 'alertname' || b === 'alertname') return a === 'alertname' ? -1 : 1;
  return a < b ? -1 : 1;
}
