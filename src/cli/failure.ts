/** Reports failures on standard error, even if the command line itself is invalid. */
import type { Context } from '../context.ts';
import { SvcError, toErrorReport } from '../errors.ts';
import { isSecretName } from '../http/redact.ts';
import { escapeJson, escapeText, shellWord } from '../output/escape.ts';
import { type ColorChoice, type ColorLevel, colorLevel, painter } from '../output/terminal.ts';
import { loadSettings } from '../store/settings.ts';
import { failureOptions } from './parse.ts';

export async function sayFailure(error: SvcError, argv: readonly string[], context: Context): Promise<void> {
  const { env, stderr } = context;
  const { output, color } = await readWanted(argv, context);
  const flag: ColorChoice['flag'] = color === 'always' || color === 'never' ? color : 'auto';
  const json = output === 'json' || output === 'ndjson';
  await stderr.write(
    await formatError(withLine(error, argv), { json, color: colorLevel({ flag, env, stream: stderr }) }),
  );
}

/** `svc: …` and `hint: …`, or the one line of JSON for `-o json` and `-o ndjson`. */
export async function formatError(
  error: SvcError,
  { json, color }: { readonly json: boolean; readonly color: ColorLevel },
): Promise<string> {
  if (json) return `${escapeJson(JSON.stringify(toErrorReport(error)))}\n`;
  const paint = await painter(color);
  const hint = error.hint === undefined ? '' : `${paint('hint:', 'dim')} ${escapeText(error.hint)}\n`;
  return `${paint('svc:', 'bad')} ${escapeText(error.message)}\n${hint}`;
}

const LONGEST_LINE = 200;
const LONGEST_CONFIRMATION = 4096;

/** The complete command line to paste, not only the corrected word or the missing option. */
function withLine(error: SvcError, argv: readonly string[]): SvcError {
  if (error.meant === undefined) return error;
  if ('append' in error.meant) {
    const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
    const confirmed = argv.map(shellWord).toSpliced(end, 0, error.meant.append);
    return withHint(error, 'to confirm, type', [confirmed], LONGEST_CONFIRMATION);
  }
  const { typed, meant } = error.meant;
  const at = argv.findIndex((token) => token === typed || token.endsWith(`=${typed}`) || token.startsWith(`${typed}=`));
  if (at < 0) return error;
  const lines = [meant].flat().map((one) => correctLine(argv, at, typed, one));
  return withHint(error, 'did you mean', lines, LONGEST_LINE);
}

/** The value of an option that is named like a secret may be one. */
function correctLine(argv: readonly string[], at: number, typed: string, meant: string): readonly string[] {
  const hidesValue = typed.startsWith('-') && isSecretName(typed);
  return argv.map((token, index) => {
    if (index === at) return hidesValue && token.includes('=') ? `${meant}=…` : token.replace(typed, () => meant);
    return hidesValue && index === at + 1 && !token.startsWith('-') ? '…' : shellWord(token);
  });
}

function withHint(error: SvcError, text: string, argvs: readonly (readonly string[])[], longest: number): SvcError {
  const lines = argvs.map((argv) => ['svc', ...argv].join(' ')).join(', or: ');
  return lines.length > longest
    ? error
    : new SvcError(error.code, error.message, { ...error, hint: `${text}: ${lines}` });
}

interface Wanted {
  output?: string | undefined;
  color?: string | undefined;
}

/** Precedence as elsewhere: option, environment, profile. Unreadable settings are ignored. */
async function readWanted(argv: readonly string[], { env, paths }: Context): Promise<Wanted> {
  const spelled = failureOptions(argv);
  const { profile } = spelled;
  try {
    const settings = await loadSettings({ paths, env, lenient: true, profileFlag: profile });
    return { output: settings.resolve('output').value, color: settings.resolve('color').value, ...spelled };
  } catch {
    return { output: env['SVC_OUTPUT'], ...spelled };
  }
}
