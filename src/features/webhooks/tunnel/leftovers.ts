/**
 * What a run with a tunnel has to take back: one file for each run, written before anything is created and removed once everything is gone. A run that was
 * killed leaves its file, and the next run takes back what it names.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { shellWord } from '../../../output/escape.ts';
import { remove, writeAtomic } from '../../../store/atomic-write.ts';
import { lockOwner, ownerLiveness } from '../../../store/lock.ts';
import { errorCode, fileFailure, makeFolder, readOwnFile } from '../../../store/own-file.ts';
import type { Recordings } from '../api.ts';
import { sameAddress } from '../subscriptions/subscription.ts';
import { deleteSubscription } from '../subscriptions/updating.ts';
import { endGroup } from './program.ts';

const owner = z.object({
  pid: z.int().check(z.positive()),
  host: z.string(),
  place: z.string(),
  start: z.string(),
  nonce: z.string().check(z.regex(/^[\w-]{1,64}$/)),
});

const leftover = z.object({
  version: z.literal(1),
  run: owner,
  program: z.nullable(owner),
  server: z.string(),
  profile: z.string(),
  /** Null until the address is known. */
  url: z.nullable(z.string()),
  /** Null until the service's response has it. */
  id: z.nullable(z.string()),
});

type Leftover = z.infer<typeof leftover>;

export class RunRecord {
  readonly #path: string;
  #content: Leftover;

  constructor(ctx: RunContext, server: string) {
    const run = lockOwner(ctx.pid);
    const folder = folderOf(ctx);
    this.#path = join(folder, `${run.nonce}.json`);
    this.#content = { version: 1, run, program: null, server, profile: ctx.settings.profile.name, url: null, id: null };
    try {
      makeFolder(folder);
    } catch (error) {
      throw fileFailure(`cannot create ${folder}`, error);
    }
  }

  /** Durable when it returns. */
  write(change: Partial<Pick<Leftover, 'url' | 'id'>> & { readonly programPid?: number | undefined }): void {
    const { programPid, ...rest } = change;
    const program = programPid === undefined ? this.#content.program : lockOwner(programPid);
    this.#content = { ...this.#content, ...rest, program };
    writeAtomic(this.#path, `${JSON.stringify(this.#content)}\n`);
  }

  remove(): void {
    remove(this.#path);
  }
}

function folderOf({ paths }: Pick<RunContext, 'paths'>): string {
  return join(paths.state, 'tunnels');
}

interface Found {
  readonly path: string;
  readonly content: Leftover;
}

/** Takes back what runs left behind that were killed: after a question at a terminal, with --yes at once. Else it says how. */
export async function takeBackLeftovers(recordings: Recordings, server: string, ctx: RunContext): Promise<void> {
  const found = readLeftovers(ctx);
  if (found.length === 0) return;
  const subscriptions = await recordings.subscriptions();
  for (const { path, content } of found) {
    const { run, program, url, profile } = content;
    if (content.server !== server || profile !== ctx.settings.profile.name) {
      ctx.notice(
        `warning: a run that was killed may have left ${content.id ?? url ?? 'a tunnel'} at ${content.server} (profile ${profile})`,
      );
      continue;
    }
    const runs = program !== null && ownerLiveness(program) === 'alive';
    // Without an id the response was lost with the run: the address alone does not prove that svc created it.
    const left = subscriptions.filter((one) =>
      content.id === null ? url !== null && sameAddress(one.url, url) : one.id === content.id,
    );
    if (left.length === 0 && !runs) {
      remove(path);
      continue;
    }
    const isProven = left.every((one) => content.id !== null && sameAddress(one.url, url ?? ''));
    const parts = left.map((one) => `${one.id} (${one.url})`);
    const commands = left.map(({ id }) => `svc webhooks delete ${shellWord(id)}`);
    if (runs) {
      parts.push(`the tunnel program (process ${program.pid})`);
      commands.push(`kill -- -${program.pid}`);
    }
    ctx.notice(`a run that was killed (process ${run.pid}) left ${parts.join(' and ')}`);
    const maySkipQuestion = isProven && ownerLiveness(run) === 'dead';
    if (left.length > 1 || (ctx.yes ? !maySkipQuestion : !ctx.interactive)) {
      ctx.notice(`warning: to remove it: ${commands.join('; ')}${maySkipQuestion ? ', or pass --yes' : ''}`);
      continue;
    }
    try {
      const confirmed = await ctx.confirm('Remove it?');
      if (runs) endGroup(program.pid, 'SIGTERM');
      for (const { id } of left) await deleteSubscription(id, recordings, () => recordings.delete(id, confirmed));
      remove(path);
      ctx.notice(`removed ${parts.join(' and ')}`);
    } catch (error) {
      if (!(error instanceof SvcError) || error.code === 'interrupted' || error.code === 'terminated') throw error;
      ctx.notice(`warning: not removed (${error.message}): ${commands.join('; ')}`);
    }
  }
}

/** Of runs that ended. A file that is no record of svc is left alone. */
function readLeftovers(ctx: RunContext): readonly Found[] {
  const folder = folderOf(ctx);
  let names: readonly string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw fileFailure(`cannot read ${folder}`, error);
  }
  return names.flatMap((name) => {
    const path = join(folder, name);
    const content = parsed(path);
    return content === undefined || ownerLiveness(content.run) === 'alive' ? [] : [{ path, content }];
  });
}

function parsed(path: string): Leftover | undefined {
  try {
    return leftover.safeParse(JSON.parse(readOwnFile(path).toString())).data;
  } catch {
    return undefined;
  }
}
