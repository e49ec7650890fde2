/** The options by which a command is told its signing secrets: never on the command line itself, which other users can see. */
import { readFileSync } from 'node:fs';
import type { RunContext } from '../cli/command.ts';
import type { Flags } from '../cli/flags.ts';
import { SvcError } from '../errors.ts';
import { type SigningSecret, signingSecret } from '../services/recordings/secret.ts';

const VARIABLE = 'SVC_WEBHOOK_SECRET';

export const SECRET_FLAGS = {
  'secret-file': {
    type: 'string',
    repeat: true,
    value: 'file',
    complete: 'files',
    help: `File that holds a signing secret (default: $${VARIABLE})`,
  },
  'secret-env': { type: 'string', repeat: true, value: 'name', help: 'Variable that holds a signing secret' },
  'secret-fd': { type: 'integer', repeat: true, value: 'n', min: 3, help: 'Descriptor to read a signing secret from' },
  secret: {
    type: 'string',
    hidden: true,
    help: 'Refused: other users can see command lines',
    check: () => {
      throw new SvcError('invalid_value', 'other users can see command lines, so no secret is taken from one', {
        hint: `pass --secret-file <file>, --secret-env <name> or --secret-fd <n>, or set ${VARIABLE}`,
      });
    },
  },
} as const satisfies Flags;

export interface SecretInput {
  readonly secretFile: readonly string[];
  readonly secretEnv: readonly string[];
  readonly secretFd: readonly number[];
}

/** Every secret that was named, each by its source; else that of the environment; else none. Exit 2 for one that cannot be used. */
export function signingSecrets(input: SecretInput, { env }: Pick<RunContext, 'env'>): readonly SigningSecret[] {
  const named = [
    ...input.secretFile.map((path) => kept(`--secret-file ${path}`, path)),
    ...input.secretEnv.map((name) => fromVariable(name, env)),
    ...input.secretFd.map((fd) => kept(`--secret-fd ${fd}`, fd)),
  ];
  if (named.length > 0) return named;
  return env[VARIABLE] === undefined ? [] : [fromVariable(VARIABLE, env)];
}

/** The same where at least one is needed. */
export function requireSecrets(input: SecretInput, ctx: Pick<RunContext, 'env'>): readonly SigningSecret[] {
  const secrets = signingSecrets(input, ctx);
  if (secrets.length > 0) return secrets;
  throw new SvcError('missing_value', 'no signing secret', {
    hint: `pass --secret-file <file>, --secret-env <name> or --secret-fd <n>, or set ${VARIABLE}`,
  });
}

/** The same for signing, where several are a slip. */
export function requireSecret(input: SecretInput, ctx: Pick<RunContext, 'env'>): SigningSecret {
  const [secret, ...others] = requireSecrets(input, ctx);
  if (secret !== undefined && others.length === 0) return secret;
  throw new SvcError('usage', `a delivery is signed with one secret, and ${others.length + 1} were named`);
}

function fromVariable(name: string, env: RunContext['env']): SigningSecret {
  const text = env[name];
  if (text === undefined) throw new SvcError('missing_value', `--secret-env: the variable ${name} is not set`);
  return checked(text, name);
}

function kept(source: string, file: string | number): SigningSecret {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new SvcError('file_unusable', `${source}: cannot be read: ${why}`, { cause: error });
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new SvcError('bad_secret', `${source}: the secret is not UTF-8 text`);
  }
  return checked(text, source);
}

/** One final line end is the editor's, and dropped; other white space is a slip of whoever copied the secret. */
function checked(text: string, source: string): SigningSecret {
  const line = text.replace(/\r?\n$/, '');
  if (/\s/.test(line)) {
    throw new SvcError('bad_secret', `${source}: the secret holds white space; was more copied than the secret?`);
  }
  return signingSecret(line, source);
}
