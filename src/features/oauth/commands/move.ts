import { type RunContext, recordCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { moveCredentials } from '../../../store/credentials-file.ts';
import { chosenStore, FILE_STORE, type Moved, type VaultContext } from '../../../store/sealed-records.ts';
import { HELPER_SETTING } from '../../../store/setting-keys.ts';
import { moveWebhookSecrets } from '../../../store/webhook-secrets.ts';

interface MoveResult {
  /** `file`, or the name of the credential helper. */
  readonly store: string;
  /** Logins, tokens of the trading gateway and secrets of OAuth clients. */
  readonly credentials: number;
  readonly signing_secrets: number;
}

export const oauthMove = recordCommand({
  id: 'oauth move',
  summary: 'Move all logins and signing secrets to another store',
  description:
    'Moves the secrets of all profiles to the credential helper that credentials.helper names, or back to the files. Each is written and read back before the old one is erased. After an interruption every secret is in one of the two, and the same command finishes the work.',
  effect: 'write',
  flags: { to: { type: 'choice', choices: ['helper', 'file'], required: true, help: 'Where they go' } },
  exits: ['unauthorized', 'partly_done'],
  examples: [
    { run: 'svc oauth move --to helper', why: 'After: svc config set credentials.helper pass' },
    { run: 'svc oauth move --to file', why: 'Before: svc config unset credentials.helper' },
  ],
  output: {
    kind: 'record',
    columns: [
      { name: 'store', cell: ({ store }: MoveResult) => store },
      { name: 'credentials', cell: ({ credentials }) => credentials },
      { name: 'signing-secrets', cell: ({ signing_secrets }) => signing_secrets },
    ],
    line: ({ store, credentials, signing_secrets }) =>
      `moved ${credentials} credentials and ${signing_secrets} signing secrets to ${store === FILE_STORE ? 'the files' : `the credential helper ${store}`}`,
    id: ({ store }) => store,
  },
  async run({ to }, ctx) {
    const chosen = chosenStore(ctx);
    const store = to === 'file' ? FILE_STORE : chosen;
    if (to === 'helper' && store === FILE_STORE) {
      throw new SvcError('config_invalid', `${HELPER_SETTING} names no credential helper`, {
        hint: `svc config set ${HELPER_SETTING} pass (or secretservice, osxkeychain, wincred)`,
      });
    }
    const { env, signal, sleep, now, random, pid } = ctx;
    const settings = { get: (key: string) => (key === HELPER_SETTING ? store : ctx.settings.get(key)) };
    const vault: VaultContext = { env, signal, sleep, now, random, pid, settings };
    const credentials = await moveCredentials(ctx.paths, vault, ctx.dryRun);
    const secrets = await moveWebhookSecrets(ctx.paths, vault, ctx.dryRun);
    for (const part of [credentials, secrets]) tell(part, ctx);
    const value: MoveResult = { store, credentials: credentials.count, signing_secrets: secrets.count };
    const isLost = credentials.missing.length + secrets.missing.length > 0;
    return {
      value,
      code: isLost ? 'partly_done' : undefined,
      footer: ctx.dryRun
        ? 'nothing was changed'
        : to === 'file' && chosen !== FILE_STORE
          ? `${HELPER_SETTING} is still ${chosen}, and svc uses nothing else: svc config unset ${HELPER_SETTING}`
          : undefined,
    };
  },
});

function tell({ missing, warnings }: Moved, ctx: RunContext): void {
  for (const warning of warnings) ctx.warn(warning);
  for (const what of missing) ctx.warn(`the credential helper does not have ${what}: it is lost, and was not moved`);
}
