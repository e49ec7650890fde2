/** The options for signing secrets. None takes one as its value: others can see command lines. */
import type { RunContext } from '../../cli/command.ts';
import { FILE, type Flags, type Options, section } from '../../cli/flags.ts';
import { SvcError } from '../../errors.ts';
import { descriptorOf, fileFailure } from '../../store/own-file.ts';
import type { SecretContext as StoreContext } from '../../store/secret-store.ts';
import { type SigningSecret, signingSecret } from './signature.ts';

const VARIABLE = 'SVC_WEBHOOK_SECRET';
const SOURCES = '--secret-file <file>, --secret-env <name> or --endpoint <id>';

const SECRET = { group: 'Secret options' } as const;

/** Declared so that an error does not show its value. */
const REFUSED = { type: 'string', hidden: true, help: 'Refused: other users can see command lines' } as const;

function refuseTypedSecret(advice: string): never {
  throw new SvcError('invalid_value', 'svc takes no secret from the command line, because other users can see it', {
    hint: `pass ${advice}`,
  });
}

/** Where a secret is read from. */
export const SECRET_SOURCE_FLAGS = {
  ...section('Secret options', {
    'secret-file': { ...FILE, repeat: true, help: 'File with a signing secret' },
    'secret-env': { type: 'string', repeat: true, value: 'name', help: 'Variable with a signing secret' },
  }),
  secret: { ...REFUSED, check: () => refuseTypedSecret('--secret-file <file> or --secret-env <name>') },
} as const satisfies Flags;

/** Those, and the secrets that svc stores. */
export const SECRET_FLAGS = {
  endpoint: {
    type: 'string',
    repeat: true,
    value: 'id',
    ...SECRET,
    help: 'Stored secret of this endpoint',
  },
  ...SECRET_SOURCE_FLAGS,
  'secret-env': { ...SECRET_SOURCE_FLAGS['secret-env'], help: `Variable (default ${VARIABLE})` },
  secret: { ...REFUSED, check: () => refuseTypedSecret(`${SOURCES}, or set ${VARIABLE}`) },
} as const satisfies Flags;

export type SecretSources = Omit<Options<typeof SECRET_SOURCE_FLAGS>, 'secret'>;
export type SecretInput = Omit<Options<typeof SECRET_FLAGS>, 'secret'>;

type SecretContext = Pick<
  RunContext,
  'env' | 'paths' | 'settings' | 'notice' | 'readFile' | 'checkSecretFile' | 'secrets'
> &
  StoreContext;

/** The secrets of the options, else of the environment, else none. Exit 2 if one is unusable. */
export async function signingSecrets(input: SecretInput, ctx: SecretContext): Promise<readonly SigningSecret[]> {
  const secrets: SigningSecret[] = [];
  for (const path of input.secretFile) secrets.push(fromFile(path, ctx));
  for (const name of input.secretEnv) secrets.push(fromVariable(name, ctx.env));
  for (const id of input.endpoint) secrets.push(await ofEndpoint(id, ctx));
  if (secrets.length === 0 && ctx.env[VARIABLE] !== undefined) secrets.push(fromVariable(VARIABLE, ctx.env));
  // A receiver may print the secret.
  for (const { key } of secrets) ctx.secrets.add(key.reveal());
  return secrets;
}

export async function requireSecrets(input: SecretInput, ctx: SecretContext): Promise<readonly SigningSecret[]> {
  const secrets = await signingSecrets(input, ctx);
  if (secrets.length > 0) return secrets;
  throw new SvcError('missing_value', 'no signing secret', { hint: `pass ${SOURCES}, or set ${VARIABLE}` });
}

/** Exactly one, for signing. */
export async function requireSecret(input: SecretInput, ctx: SecretContext): Promise<SigningSecret> {
  const [secret, ...others] = await requireSecrets(input, ctx);
  if (secret !== undefined && others.length === 0) return secret;
  throw new SvcError('usage', `a delivery is signed with one secret, and ${others.length + 1} were given`);
}

async function ofEndpoint(id: string, ctx: SecretContext): Promise<SigningSecret> {
  // Loads the store, which takes 2 ms on Node 20: a secret of the environment does not need it.
  const { storedSecret } = await import('./stored-secrets.ts');
  const stored = await storedSecret(id, ctx);
  if (stored !== undefined) return signingSecret(stored.secret, `--endpoint ${id}`);
  throw new SvcError('missing_value', `--endpoint: no secret is stored for endpoint ${JSON.stringify(id)}`, {
    hint: 'svc webhooks secrets list shows them; svc webhooks secrets import adds one',
  });
}

export function fromVariable(name: string, env: RunContext['env']): SigningSecret {
  const text = env[name];
  if (text === undefined) throw new SvcError('missing_value', `--secret-env: the variable ${name} is not set`);
  return checkSecret(text, name);
}

export function fromFile(path: string, ctx: Pick<RunContext, 'readFile' | 'checkSecretFile'>): SigningSecret {
  const source = `--secret-file ${path}`;
  const descriptor = descriptorOf(path);
  let bytes: Buffer;
  try {
    if (descriptor === undefined) ctx.checkSecretFile(path);
    bytes = ctx.readFile(descriptor ?? path);
  } catch (error) {
    throw fileFailure(`${source}: cannot be read`, error);
  }
  return secretOf(bytes, source);
}

/** The secret in a file or in piped input. */
export function secretOf(bytes: Uint8Array, source: string): SigningSecret {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new SvcError('bad_secret', `${source}: the secret is not UTF-8 text`);
  }
  return checkSecret(text, source);
}

/** Common mistakes in place of the secret. */
const SLIPS: readonly (readonly [form: RegExp, what: string, hint: string])[] = [
  [
    /^[ \t]*(?:export[ \t]+)?[A-Za-z_]\w*[ \t]*=[ \t]*["']?whsec_/,
    'is a line from a .env file',
    'give only the part after "="',
  ],
  [/^\s*Bearer\s/i, 'begins with Bearer: that is an access token', 'the signing secret begins with whsec_'],
  [/^\s*\{.*\}\s*$/s, 'is JSON', 'give only the secret, such as with jq -r .secret'],
  [/^["']/, 'is in quotes', 'remove them'],
  [/^v\d+[a-z]?,whsec_/, 'has a version before it', 'remove "v1,"'],
  // "whsec_" in base64.
  [/^d2hzZWNf[A-Za-z0-9+/=\r\n]+$/, 'is in base64, as in Kubernetes', 'decode it: base64 -d'],
  [/[\s\ufeff]/, 'contains white space, a line end or a byte order mark', 'remove it: one secret per option'],
];

/** One final line end comes from the editor, and is dropped. */
function checkSecret(text: string, source: string): SigningSecret {
  const line = text.replace(/\r?\n$/, '');
  for (const [form, what, hint] of SLIPS) {
    if (form.test(line)) throw new SvcError('bad_secret', `${source}: the secret ${what}`, { hint });
  }
  return signingSecret(line, source);
}
