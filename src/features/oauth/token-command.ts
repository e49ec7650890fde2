/** Runs a profile's token command without a shell. Its output is the token and stays in memory. */
import { spawn } from 'node:child_process';
import { missingProgram, signalStatus } from '../../cli/child.ts';
import type { Context } from '../../context.ts';
import { SvcError } from '../../errors.ts';
import { redactText } from '../../http/redact.ts';
import type { Target } from '../../http/target.ts';
import { childEnvironment } from '../../store/setting-keys.ts';

/** How long a token command may take, as the error says it. */
const LIMIT_S = 10;
const LARGEST_OUTPUT = 64 * 1024;
const LONGEST_REASON = 2000;
/** Names the services whose token commands run: one that calls svc for its own would never end. */
const RUNNING = 'SVC_TOKEN_COMMANDS';

type Runner = Pick<Context, 'env' | 'self' | 'signal' | 'sleep'>;

/** Throws `unauthorized` if the command fails, takes too long or prints nothing. */
export async function commandToken(
  command: readonly string[],
  { service, secrets }: Pick<Target, 'service' | 'secrets'>,
  { env, self, signal, sleep }: Runner,
): Promise<string> {
  const [name = '', ...args] = command;
  const key = `${service}.tokenCommand`;
  const failure = (what: string, hint = `svc config get ${key} shows the command`): SvcError =>
    new SvcError('unauthorized', `${key}: ${name} ${what}`, { hint });
  const running = (env[RUNNING] ?? '').split(',');
  if (running.includes(service)) throw failure(`runs svc with ${key} again`, `svc config unset ${key}`);
  const [program, ...before] = name === 'svc' ? self : [name];
  const childEnv = { ...childEnvironment(env), [RUNNING]: [...running, service].join(',') };
  const child = spawn(program, [...before, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env: childEnv });
  const [output, complaint] = [collect(child.stdout), collect(child.stderr)];
  const over = new AbortController();
  try {
    const status = await Promise.race([
      new Promise<number>((ended, failed) => {
        child.on('error', failed);
        child.on('close', (code, by) => ended(code ?? signalStatus(by)));
      }).catch((error: NodeJS.ErrnoException) => {
        const hint = /\s/.test(name) ? 'write the program and its arguments as a JSON array' : undefined;
        throw failure(`cannot be run: ${missingProgram(name, childEnv, error)}`, hint);
      }),
      sleep(LIMIT_S * 1000, AbortSignal.any([signal, over.signal])).then(() => undefined),
    ]);
    const token = output.text().trim();
    for (const line of new Set([token, ...token.split(/\s*\n\s*/)])) secrets.add(line);
    const said = redactText(secrets.hide(complaint.text().trim()))
      .replace(/\s*\n\s*/g, '; ')
      .slice(0, LONGEST_REASON);
    const why = said === '' ? '' : `: ${said}`;
    if (status === undefined) throw failure(`did not finish within ${LIMIT_S} s${why}`);
    if (status !== 0) throw failure(`failed with exit status ${status}${why}`);
    if (token === '') throw failure(`printed nothing${why}`);
    return token;
  } finally {
    over.abort();
    child.kill('SIGKILL');
    // Its own children may still have them open.
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

/** The beginning of what a program prints; all of it is read, so that the program can end. */
function collect(stream: NodeJS.ReadableStream): { text(): string } {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= LARGEST_OUTPUT) chunks.push(chunk);
  });
  return { text: () => Buffer.concat(chunks).toString() };
}
