import { listCommand, type RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import type { Tone } from '../../output/types.ts';
import type { Alertmanager } from '../../services/alertmanager/client.ts';
import type { Silence } from '../../services/alertmanager/schema.ts';
import { findAmong, isUuid, readSilences } from '../../services/alertmanager/silence.ts';
import { describeSilence } from '../../views/silences.ts';

interface Expired {
  readonly id: string;
  readonly result: 'expired' | 'already-expired' | 'not-found' | 'error';
  readonly message: string | null;
}

const TONES: Readonly<Record<Expired['result'], Tone>> = {
  expired: 'good',
  'already-expired': 'dim',
  'not-found': 'bad',
  error: 'bad',
};

export const silencesExpire = listCommand({
  id: 'silences expire',
  aliases: ['delete', 'rm'],
  summary: 'End silences now',
  description: 'The alerts they mute notify again. Each id is tried whatever happens to the others.',
  effect: 'destroy',
  service: 'alerts',
  args: {
    id: {
      help: 'Ids, or enough of the beginning to tell each from others; at a terminal you can choose',
      repeat: true,
      complete: 'silences',
    },
  },
  examples: [
    { run: 'svc silences expire 2f1a 77c0', why: 'Two of them, by the beginning of their ids' },
    { run: 'svc silences list --created-by me -q | xargs svc silences expire --yes', why: 'All of mine' },
  ],
  output: {
    kind: 'list',
    columns: [
      { name: 'id', cell: ({ id }: Expired) => id },
      { name: 'result', cell: ({ result }: Expired) => ({ text: result, tone: TONES[result] }) },
      { name: 'message', cell: ({ message }: Expired) => message, flex: true },
    ],
    id: ({ id }) => id,
  },
  async run(input, ctx) {
    const { openAlertmanager } = await import('../../services/alertmanager/client.ts');
    const { bulk } = await import('../../cli/bulk.ts');
    if (input.id.length === 0 && !ctx.interactive) {
      throw new SvcError('missing_value', '<id> is missing', { hint: 'svc silences list shows them' });
    }
    const alertmanager = openAlertmanager(ctx.target);
    const ids = input.id.length === 0 ? await chooseSilences(alertmanager, ctx) : input.id;
    const typed = [...new Set(ids.map((id) => id.toLowerCase()))];
    const asks = ctx.interactive && !ctx.yes && !ctx.dryRun;
    // Whole ids need no look at the server; the beginning of one does, and so does showing what is about to end.
    const silences = asks || !typed.every(isUuid) ? await readSilences(alertmanager) : [];
    // A whole id and its beginning are one silence.
    const targets = [
      ...new Map(typed.map((id) => resolve(id, silences)).map((target) => [target.id, target])).values(),
    ];
    if (asks) for (const { silence } of targets) if (silence !== undefined) ctx.notice(describeSilence(silence));
    const found = targets.filter(({ error }) => error === undefined).length;
    if (found > 0) await ctx.confirm(`Expire ${found === 1 ? 'this silence' : `these ${found} silences`}?`);
    const { outcomes, code } = await bulk(targets, 8, async ({ id, silence, error }): Promise<Expired> => {
      if (error !== undefined) throw error;
      await alertmanager.deleteSilence(id);
      return { id, result: silence?.status.state === 'expired' ? 'already-expired' : 'expired', message: null };
    });
    const [only] = outcomes;
    if (outcomes.length === 1 && only?.error !== undefined) throw only.error;
    const value = outcomes.map((outcome): Expired => {
      if (outcome.error === undefined) return outcome.result;
      const { code, message } = outcome.error;
      return { id: outcome.item.id, result: code === 'not_found' ? 'not-found' : 'error', message };
    });
    return { value, code };
  },
});

async function chooseSilences(alertmanager: Alertmanager, ctx: RunContext): Promise<readonly string[]> {
  const { MOST_CHOICES, tellCommand } = await import('../../cli/wizard.ts');
  const current = (await readSilences(alertmanager)).filter(({ status }) => status.state !== 'expired');
  if (current.length === 0) throw new SvcError('not_found', 'no silence is active or pending');
  const shown = current.slice(0, MOST_CHOICES);
  if (current.length > shown.length) ctx.notice(`the first ${shown.length} of ${current.length} silences to end:`);
  const chosen = await ctx.prompter.checkbox(
    'Which silences?',
    shown.map((silence) => ({ value: silence.id, name: describeSilence({ ...silence, id: silence.id.slice(0, 8) }) })),
  );
  tellCommand(ctx, chosen);
  return chosen;
}

interface ExpireTarget {
  /** As the service has it, or as it was typed where there is an error. */
  readonly id: string;
  /** Known only where the silences were read. */
  readonly silence?: Silence | undefined;
  readonly error?: SvcError;
}

function resolve(typed: string, silences: readonly Silence[]): ExpireTarget {
  if (isUuid(typed)) return { id: typed, silence: silences.find(({ id }) => id === typed) };
  try {
    const silence = findAmong(silences, typed);
    return { id: silence.id, silence };
  } catch (error) {
    if (error instanceof SvcError) return { id: typed, error };
    throw error;
  }
}
