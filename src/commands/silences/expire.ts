import { listCommand } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import type { Tone } from '../../output/types.ts';
import type { Silence } from '../../services/alertmanager/schema.ts';
import { matcherTexts } from './list.ts';

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
      help: 'Ids, or enough of the beginning to tell each from others',
      repeat: true,
      required: true,
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
    const { findAmong, isUuid } = await import('../../services/alertmanager/silence.ts');
    const { bulk } = await import('../../cli/bulk.ts');
    const ids = [...new Set(input.id.map((id) => id.toLowerCase()))];
    const alertmanager = openAlertmanager(ctx.target);
    const asks = ctx.interactive && !ctx.yes && !ctx.dryRun;
    // Whole ids need no look at the server; the beginning of one does, and so does showing what is about to end.
    const silences: Silence[] = [];
    if (asks || !ids.every(isUuid)) for await (const silence of alertmanager.silences([])) silences.push(silence);
    const known = new Map(silences.map((silence) => [silence.id, silence]));
    const targets = ids.map((id) => (isUuid(id) ? id : attempt(() => findAmong(silences, id).id)));
    const wanted = targets.filter((target) => typeof target === 'string');
    for (const id of wanted) {
      const silence = asks ? known.get(id) : undefined;
      if (silence !== undefined)
        ctx.notice(
          `${id}  ${silence.status.state}  ${matcherTexts(silence).join(' ')}  (${silence.createdBy}: ${silence.comment})`,
        );
    }
    if (wanted.length > 0)
      await ctx.confirm(`Expire ${wanted.length === 1 ? 'this silence' : `these ${wanted.length} silences`}?`);
    const failures = new Map<string, Expired>();
    const fail = (id: string, error: SvcError): void => {
      failures.set(id, { id, result: error.code === 'not_found' ? 'not-found' : 'error', message: error.message });
    };
    const { done, code } = await bulk(
      ids.map((id, index) => ({ id, target: targets[index] })),
      {
        concurrency: 8,
        async work({ id, target }): Promise<Expired> {
          if (target instanceof SvcError) throw target;
          const full = target ?? id;
          await alertmanager.deleteSilence(full);
          return {
            id: full,
            result: known.get(full)?.status.state === 'expired' ? 'already-expired' : 'expired',
            message: null,
          };
        },
        failed: ({ id }, error) => fail(id, error),
      },
    );
    const [only] = failures.values();
    if (ids.length === 1 && only !== undefined && code !== undefined) throw new SvcError(code, only.message ?? '');
    const byId = new Map(done.map((result) => [result.id, result]));
    const value = ids.flatMap((id, index) => {
      const target = targets[index];
      const result = failures.get(id) ?? byId.get(typeof target === 'string' ? target : id);
      return result === undefined ? [] : [result];
    });
    return { value, code };
  },
});

function attempt<T>(find: () => T): T | SvcError {
  try {
    return find();
  } catch (error) {
    if (error instanceof SvcError) return error;
    throw error;
  }
}
