import { lstatSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { listCommand, type RunContext } from '../../../cli/command.ts';
import type { Paths } from '../../../context.ts';
import { credentialEntries, readCredentials } from '../../../store/credentials-file.ts';
import { readJournal } from '../../../store/order-journal.ts';
import { errorCode, fileFailure } from '../../../store/own-file.ts';
import { Vault } from '../../../store/vault.ts';
import { readWebhookSecrets, secretEntries } from '../../../store/webhook-secrets.ts';

interface StoredFile {
  readonly path: string;
  readonly bytes: number;
}

/** Also their locks and drafts. SVC_CONFIG_DIR may be a folder with files of others: nothing else there is deleted. */
const CONFIGURATION =
  /^(?:settings|credentials|webhook-secrets)(?:-edit-\d+-\d+)?\.json(?:\.|$)|^secrets[/\\][\w.-]+\.(?:alerts\.\w+|cacert|cert|key)$/;

export const configPurge = listCommand({
  id: 'config purge',
  summary: 'Delete everything that svc stores',
  description:
    'Deletes the settings, logins, signing secrets, order journal and caches of this user, before svc is uninstalled. The services still accept the logins: end them first with svc oauth logout.',
  effect: 'destroy',
  repairsSettings: true,
  examples: [
    { run: 'svc config purge', why: 'Leave nothing behind' },
    { run: 'svc config purge --dry-run', why: 'See the files first' },
  ],
  output: {
    kind: 'list',
    columns: [
      { name: 'path', cell: ({ path }: StoredFile) => path },
      { name: 'bytes', align: 'right', cell: ({ bytes }) => bytes },
    ],
    id: ({ path }) => path,
  },
  async run(_input, ctx) {
    const files = storedFiles(ctx.paths);
    if (files.length > 0) {
      const lost = await losses(ctx);
      await ctx.confirm(
        `Delete ${count(files.length, 'file')}${lost.length === 0 ? '' : `, with ${lost.join(', ')}`}?`,
      );
    }
    if (ctx.dryRun) return { value: files, footer: 'nothing was changed' };
    await eraseEntries(ctx);
    try {
      for (const { path } of files) rmSync(path, { force: true });
      for (const folder of [ctx.paths.state, ctx.paths.cache]) rmSync(folder, { recursive: true, force: true });
      removeIfEmpty(join(ctx.paths.config, 'secrets'));
      removeIfEmpty(ctx.paths.config);
    } catch (error) {
      throw fileFailure('cannot delete all files', error);
    }
    return { value: files };
  },
});

/** What a credential helper has. Without the files nobody could find it. */
async function eraseEntries(ctx: RunContext): Promise<void> {
  const entries = [...(await credentialEntries(ctx.paths)), ...(await secretEntries(ctx.paths))];
  const left = await new Vault(ctx).erase(entries);
  for (const { helper, entry } of left)
    ctx.warn(`the credential helper ${helper} could not erase ${entry}: erase it there`);
}

function storedFiles({ config, state, cache }: Paths): readonly StoredFile[] {
  const own = filesIn(config, true).filter((name) => CONFIGURATION.test(name));
  const paths = [
    ...own.map((name) => join(config, name)),
    ...[state, cache].flatMap((folder) => filesIn(folder, true).map((name) => join(folder, name))),
  ];
  return paths.flatMap((path) => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found === undefined || found.isDirectory() ? [] : [{ path, bytes: found.size }];
  });
}

function filesIn(folder: string, recursive: boolean): readonly string[] {
  try {
    return readdirSync(folder, { recursive, encoding: 'utf8' }).sort();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw fileFailure(`cannot read ${folder}`, error);
  }
}

/** What cannot be restored. A file that cannot be read is deleted like the others. */
async function losses(ctx: RunContext): Promise<readonly string[]> {
  const unread = () => [];
  const [logins, secrets, orders] = await Promise.all([
    readCredentials(ctx.paths, ctx).then(
      ({ document }) => [...document.credentials, ...(document.gateway_tokens ?? [])],
      unread,
    ),
    readWebhookSecrets(ctx.paths).then((stored) => stored.secrets, unread),
    readJournal(ctx.paths).then((entries) => entries.filter(({ outcome }) => outcome === 'unknown'), unread),
  ]);
  return [
    ...(logins.length > 0 ? [count(logins.length, 'login')] : []),
    ...(secrets.length > 0 ? [count(secrets.length, 'signing secret')] : []),
    ...(orders.length > 0 ? [`${count(orders.length, 'order')} of unknown outcome`] : []),
  ];
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) throw error;
  }
}
