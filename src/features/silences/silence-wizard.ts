/** Asks for what `svc silences create` lacks: the matchers, for how long, and why. */
import type { RunContext } from '../../cli/command.ts';
import { parseDuration } from '../../cli/duration.ts';
import type { Instant } from '../../cli/flags.ts';
import { askForEach, durationFault, faultOf, MOST_CHOICES, tellCommand } from '../../cli/wizard.ts';
import { alertQuery } from '../alerts/alert-state.ts';
import { openAlertmanager } from '../alerts/client.ts';
import { formatMatcher, matcher } from '../alerts/matcher.ts';
import { parseMatcherArguments } from '../alerts/matcher-argument.ts';

/** What a silence can be told by, as far as it is asked for. */
interface Asked {
  readonly matcher: readonly string[];
  readonly fromAlert: string | undefined;
  readonly comment: string | undefined;
  readonly for: number | undefined;
  readonly until: Instant | undefined;
}

/** Asks nothing where nothing is missing. */
export async function askForMissing(
  { matcher, fromAlert, comment, for: duration, until }: Asked,
  ctx: RunContext,
): Promise<Pick<Asked, 'matcher' | 'comment' | 'for'>> {
  const lacksMatchers = matcher.length === 0 && fromAlert === undefined;
  const lacksComment = comment === undefined || comment.trim() === '';
  if (!lacksMatchers && !lacksComment) return { matcher, comment, for: duration };
  const matchers = lacksMatchers ? await askForMatchers(ctx) : [];
  const length =
    lacksMatchers && duration === undefined && until === undefined
      ? await ctx.prompter.text({
          question: 'For how long?',
          default: '1h',
          check: durationFault,
        })
      : undefined;
  const why = lacksComment
    ? await ctx.prompter.text({
        question: 'Comment:',
        check: (text) => (text.trim() === '' ? 'a comment is required' : undefined),
      })
    : undefined;
  tellCommand(ctx, [
    ...matchers,
    ...(length === undefined ? [] : ['--for', length]),
    ...(why === undefined ? [] : ['--comment', why]),
  ]);
  return {
    matcher: [...matcher, ...matchers],
    comment: why ?? comment,
    for: length === undefined ? duration : parseDuration(length),
  };
}

/** One of the names that fire, or what is typed; in their canonical spelling. */
async function askForMatchers(ctx: RunContext): Promise<string[]> {
  const counts = new Map<string, number>();
  for await (const { labels } of openAlertmanager(ctx.target).alerts(alertQuery(['active']))) {
    const name = labels['alertname'];
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const most = [...counts].sort(([, a], [, b]) => b - a).slice(0, MOST_CHOICES);
  const choices = most.map(([value, count]) => ({ value, name: `${value} (${count} active)` }));
  const other = { value: '', name: 'other matchers…' };
  const name = most.length === 0 ? '' : await ctx.prompter.select('Mute which alerts?', [...choices, other]);
  const parse = (texts: readonly string[]) => parseMatcherArguments(texts).matchers;
  const first =
    name === ''
      ? await ctx.prompter.text({
          question: 'Which matcher, such as team=db, or an alert name?',
          check: (text) => faultOf(() => parse([text])),
        })
      : formatMatcher(matcher('alertname', '=', name));
  const question = 'Another that has to match too, such as instance=web-1:9100 (Enter for none):';
  return parse(await askForEach({ question, parse }, ctx, [first])).map(formatMatcher);
}
