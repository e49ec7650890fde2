/**
 * Every `console` and `sh` block of the README and of the guides, run against a sandbox: the blocks of a document in one shell, from top to bottom. The
 * outputs must be the same but for numbers, ids, times and charts, and a command without output must not fail. A block `sh elsewhere` needs more than the
 * sandbox. `UPDATE_DOCUMENTS=1` writes the outputs again.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXECUTABLE, SLOWNESS } from '../support/executable.ts';
import { environment, HOME, ROOT, start, startSvc } from './binary.ts';
import { named, noScript, SPINNER } from './terminal.ts';

interface Step {
  readonly command: string;
  /** The output in the document. A line `...` means any lines. */
  readonly shown: readonly string[];
}

const DOCUMENTS = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)].filter(
  (name) => name.endsWith('.md') && /^```(?:console|sh)$/m.test(readFileSync(join(ROOT, name), 'utf8')),
);
const UPDATE = process.env['UPDATE_DOCUMENTS'] !== undefined;
const BLOCK = /^```(console|sh)\n([\s\S]*?)^```$/gm;
const MARK = '--- the next command';
const FAILED = '--- failed:';
/** The executable where `npm test` has built one: it prints the same, and starts in half the time. */
const BUILT = join(process.env['SVC_EXECUTABLES'] ?? ROOT, `linux-${process.arch}`, 'svc');

/** A block of `sh` is one step. */
function stepsOf(language: string, block: string): readonly Step[] {
  if (language === 'sh') return [{ command: block.trimEnd(), shown: [] }];
  const steps: { command: string; shown: string[] }[] = [];
  for (const line of block.trimEnd().split('\n')) {
    const last = steps.at(-1);
    if (line.startsWith('$ ')) steps.push({ command: line.slice(2), shown: [] });
    else if (last?.command.endsWith('\\') && last.shown.length === 0) last.command += `\n${line}`;
    else last?.shown.push(line);
  }
  return steps;
}

/** Numbers, ids and times differ from run to run, and so do the widths of columns, the shapes of charts, and where a long line breaks; a busy machine responds late. */
function form(lines: readonly string[]): string {
  return lines
    .filter((line) => !/[\u2500-\u28ff]|^no response within [\d.]+ s; |^the service responds again$/u.test(line))
    .map((line) =>
      line
        .replaceAll(/\b[a-z]+_[a-z0-9]{8,}\b/g, '0')
        .replaceAll(/\b(?=[a-f-]*\d)[0-9a-f]{4,}(-[0-9a-f]{4,})*\b/g, '0')
        // One id in two thousand has letters only.
        .replaceAll(/\b[a-f]{8}\b/g, '0')
        .replaceAll(/\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d+/g, '0')
        .replaceAll(/\d+[dhms](?:\d+[hms])*/g, '0')
        .replaceAll(/[+-]?\d[\d.,:TZ]*/g, '0')
        .replaceAll(/\bnow\b/g, '0 ago')
        .replaceAll(/\s*[^\s…]*…/g, '…')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .filter((line) => !/^[0 ]*$/.test(line))
    .join(' ');
}

async function run(steps: readonly Step[], folder: string): Promise<readonly (readonly string[])[]> {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  if (EXECUTABLE === undefined && existsSync(BUILT)) symlinkSync(BUILT, join(folder, 'bin/svc'));
  const PATH = [join(folder, 'bin'), environment()['PATH']].join(delimiter);
  const env = { HOME: folder, TMPDIR: folder, XDG_STATE_HOME: join(folder, 'state'), PATH };
  const sandbox = startSvc(['sandbox', 'start'], { env });
  try {
    await sandbox.printed('SVC_TRADE_TOKEN=');
    const variables = [...sandbox.texts.stdout.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name, value]) => [
      name,
      value,
    ]);
    const script = join(folder, 'script.sh');
    const commands = steps.map(({ command, shown }) => {
      const trap = shown.length > 0 ? 'trap - ERR' : `trap 'printf "%s\\n" "${FAILED} $BASH_COMMAND"' ERR`;
      return `printf '%s\\n' '${MARK}'\n${trap}\n${command}\n`;
    });
    writeFileSync(script, ['stty cols 100 rows 50\n', 'exec </dev/null\n', ...commands].join(''));
    const { stdout } = await start('script', ['-qec', `bash ${script}`, '/dev/null'], {
      cwd: folder,
      env: { ...env, ...Object.fromEntries(variables), NO_COLOR: '1', SVC_ALERTS_AUTHOR: 'ann' },
    }).ended;
    return stdout
      .replaceAll('\r\n', '\n')
      .replaceAll(SPINNER, '')
      .split(`${MARK}\n`)
      .slice(1)
      .map((text) =>
        text
          .trimEnd()
          .split('\n')
          .filter((line) => line !== ''),
      );
  } finally {
    await sandbox.kill('SIGINT');
  }
}

/** The document with what was printed. A command that the document shows without output, or with a part of it, stays as it is. */
function rewritten(document: string, outputs: readonly (readonly string[])[]): string {
  let at = 0;
  return document.replace(BLOCK, (whole, language: string, block: string) => {
    const lines = stepsOf(language, block).flatMap(({ command, shown }) => {
      const printed = outputs[at++] ?? [];
      const isPart = shown.length === 0 || (shown.length > 1 && shown.includes('...'));
      return [`$ ${command}`, ...(isPart ? shown : printed.map((line) => line.trimEnd()))];
    });
    return language === 'sh' ? whole : `\`\`\`console\n${lines.join('\n')}\n\`\`\``;
  });
}

/** What a command printed is what the document shows, or no failure where it shows nothing. */
function expectShown({ command, shown }: Step, output: readonly string[]): void {
  if (shown.length === 0) {
    expect(output.join('\n'), command).not.toContain(FAILED);
    return;
  }
  const printed = form(output);
  const parts = form(shown).split(' ... ');
  if (parts.length === 1) expect(printed, command).toBe(parts[0]);
  else for (const part of parts) expect(printed, command).toContain(part.replace(/ ?\.\.\.$/, ''));
}

describe.concurrent.each(DOCUMENTS)('%s', (name) => {
  it.skipIf(noScript)(named('shows what the commands print', noScript), { timeout: 240_000 * SLOWNESS }, async () => {
    const path = join(ROOT, name);
    const document = readFileSync(path, 'utf8');
    const steps = [...document.matchAll(BLOCK)].flatMap(([, language = '', block = '']) => stepsOf(language, block));
    const outputs = await run(steps, join(HOME, name));
    expect(outputs).toHaveLength(steps.length);
    if (UPDATE) writeFileSync(path, rewritten(document, outputs));
    for (const [index, step] of UPDATE ? [] : steps.entries()) expectShown(step, outputs[index] ?? []);
  });
});
