import { listCommand } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import { RawJson } from '../../output/types.ts';
import { silenceCandidates } from '../../services/alertmanager/candidates.ts';
import { formatMatcher } from '../../services/alertmanager/matcher.ts';
import type { Silence } from '../../services/alertmanager/schema.ts';
import { SILENCE_COLUMNS } from '../../views/silences.ts';
import { kept } from '../alerts/list.ts';

export const silencesList = listCommand({
  id: 'silences list',
  aliases: ['ls', 'query'],
  summary: 'List silences, active and pending ones unless told otherwise',
  description:
    'Matchers are compared with those of the silences as text: instance="web-1" does not find a silence of instance=~"web.*".',
  effect: 'read',
  service: 'alerts',
  args: { matcher: { help: 'Only silences that have all of these very matchers', repeat: true } },
  flags: {
    state: {
      type: 'choice',
      repeat: true,
      choices: ['active', 'pending', 'expired'],
      help: 'Only silences in this state (default active, pending)',
    },
    expired: { type: 'boolean', help: 'Only expired ones, as --state expired' },
    all: { type: 'boolean', short: 'a', help: 'Silences in every state' },
    within: {
      type: 'duration',
      positive: true,
      help: 'Only those that end within this time, or with --expired ended within it',
    },
    'created-by': {
      type: 'string',
      value: 'author',
      help: 'Only of this author; me for yourself, ~regex for a pattern',
    },
    comment: { type: 'string', value: 'text', help: 'Only with this text in the comment; ~regex for a pattern' },
    limit: { type: 'integer', value: 'n', min: 0, help: 'At most so many' },
  },
  examples: [
    { run: 'svc silences list', why: 'What is muted now' },
    { run: 'svc silences list --created-by me --within 3d', why: 'Mine, about to end' },
    { run: 'svc silences list --expired --within 2h --comment "~CHG-[0-9]+"', why: 'Ended lately, by change number' },
  ],
  output: {
    kind: 'list',
    columns: SILENCE_COLUMNS,
    id: ({ id }) => id,
    empty: 'no such silences (expired ones are listed with -a)',
  },
  offers: silenceCandidates,
  async run(input, ctx) {
    const { openAlertmanager } = await import('../../services/alertmanager/client.ts');
    const { parseMatcherArguments } = await import('../../services/alertmanager/matcher-argument.ts');
    if (input.expired && input.state.some((state) => state !== 'expired')) {
      throw new SvcError('usage', '--expired and --state name different states', {
        hint: 'use --state alone: --state expired --state active',
      });
    }
    if (input.all && (input.expired || input.state.length > 0)) {
      throw new SvcError('usage', `--all and --${input.expired ? 'expired' : 'state'} contradict each other`);
    }
    const { matchers, notices } = parseMatcherArguments(input.matcher);
    for (const notice of notices) ctx.notice(notice);
    const states = new Set<string>(
      input.expired ? ['expired'] : input.state.length > 0 ? input.state : ['active', 'pending'],
    );
    const filter = matchers.map(formatMatcher);
    const alertmanager = openAlertmanager(ctx.target);
    const byAuthor =
      input.createdBy === undefined
        ? undefined
        : textTest(input.createdBy === 'me' ? author(ctx) : input.createdBy, 'created-by');
    const byComment = input.comment === undefined ? undefined : textTest(input.comment, 'comment');
    const all = input.all && input.within === undefined && byAuthor === undefined && byComment === undefined;
    if (all && ctx.wants.rawJson) return { value: new RawJson(await alertmanager.silencesRaw(filter)) };
    const now = ctx.now();
    const { within } = input;
    const wanted = (silence: Silence): boolean =>
      (input.all || states.has(silence.status.state)) &&
      (within === undefined || endsWithin(silence, within, now)) &&
      (byAuthor === undefined || byAuthor.whole(silence.createdBy)) &&
      (byComment === undefined || byComment.part(silence.comment));
    return { value: kept(alertmanager.silences(filter), wanted) };
  },
});

/** The author that new silences get, and that `--created-by me` looks for. */
export function author(ctx: {
  readonly settings: { get(key: string): string | undefined };
  readonly identity: string;
}): string {
  return ctx.settings.get('alerts.author') ?? ctx.identity;
}

function endsWithin({ status, endsAt }: Silence, ms: number, now: number): boolean {
  const end = Date.parse(endsAt);
  return status.state === 'expired' ? end >= now - ms : end <= now + ms;
}

interface TextTest {
  whole(text: string): boolean;
  part(text: string): boolean;
}

function textTest(wanted: string, option: string): TextTest {
  if (!wanted.startsWith('~')) return { whole: (text) => text === wanted, part: (text) => text.includes(wanted) };
  try {
    const pattern = new RegExp(wanted.slice(1), 'u');
    const test = (text: string): boolean => pattern.test(text);
    return { whole: test, part: test };
  } catch (error) {
    throw new SvcError('invalid_value', `--${option}: ${(error as Error).message}`);
  }
}
