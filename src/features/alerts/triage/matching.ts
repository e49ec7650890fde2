/** What a typed line selects: a filter of the list, or the alerts that a silence would mute. */
import { faultText } from '../../../cli/wizard.ts';
import { SvcError } from '../../../errors.ts';
import type { Alertmanager } from '../api.ts';
import { alertTitle } from '../columns.ts';
import { formatMatcher, type Matcher } from '../matcher.ts';
import { parseMatcherArguments } from '../matcher-arguments.ts';
import { labelTest } from '../matching.ts';
import { collect, keepsAlert } from '../selection.ts';
import type { TriageEvent } from './model.ts';
import { textFilter } from './rows.ts';

const MOST_NAMED = 3;

/** Matchers have an operator; anything else is text. */
export function filtered(text: string): Promise<TriageEvent> {
  return orFault(async () => {
    if (!/[=~]/.test(text)) return { kind: 'filtered', filter: textFilter(text) };
    const test = await labelTest(matchersOf(text));
    return { kind: 'filtered', filter: { text, accepts: ({ labels }) => test(labels) } };
  });
}

/** The server counts: the list may have fewer alerts than a silence would mute. */
export function previewed(text: string, alertmanager: Pick<Alertmanager, 'alerts'>): Promise<TriageEvent> {
  return orFault(async () => {
    const matchers = matchersOf(text).map(formatMatcher);
    const muted = await collect(alertmanager.alerts({ filter: matchers }));
    const active = muted.filter((alert) => keepsAlert(alert, [])).length;
    const named = muted.slice(0, MOST_NAMED).map((alert) => `  ${alertTitle(alert)}`);
    const more = muted.length - named.length;
    const counted = `mutes ${muted.length} ${muted.length === 1 ? 'alert' : 'alerts'} now (${active} active)`;
    const preview = [counted, ...named, ...(more === 0 ? [] : [`  and ${more} more`])];
    return { kind: 'previewed', text, matchers, preview };
  });
}

function matchersOf(text: string): readonly Matcher[] {
  return parseMatcherArguments([text.startsWith('{') ? text : `{${text}}`]);
}

async function orFault(work: () => Promise<TriageEvent>): Promise<TriageEvent> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SvcError) || error.reason === 'signal') throw error;
    return { kind: 'fault', reason: faultText(error) };
  }
}
