import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';
import { type RunContext, textCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { fileFailure, makeFolder } from '../../../store/own-file.ts';
import { findSetting, storedValue } from '../../../store/setting-keys.ts';
import { parseSettings, readSettingsBytes, type SettingsDocument, settingsPath } from '../../../store/settings.ts';
import { replaceSettings } from '../../../store/settings-editor.ts';

const EMPTY = '{\n  "profile": "default",\n  "profiles": {\n    "default": {}\n  }\n}\n';

export const configEdit = textCommand({
  id: 'config edit',
  summary: 'Edit the settings file',
  description:
    'Opens a copy in $VISUAL or $EDITOR and checks it before replacing the file. If the copy is invalid, the settings file is not changed, and svc leaves the copy beside it.',
  effect: 'read',
  repairsSettings: true,
  examples: [{ run: 'EDITOR=nano svc config edit', why: 'Edit all profiles at once' }],
  output: { kind: 'text' },
  run: async (_input, ctx) => {
    const editor = ctx.env['VISUAL'] || ctx.env['EDITOR'];
    const instead = { hint: 'svc config set <key> <value> needs neither terminal nor editor' };
    if (!ctx.interactive) throw new SvcError('usage', 'an editor needs a terminal', instead);
    if (!editor) throw new SvcError('missing_value', 'no editor: set VISUAL or EDITOR', instead);
    const path = settingsPath(ctx.paths);
    const before = readSettingsBytes(path)?.bytes;
    const start = before ?? Buffer.from(EMPTY);
    const copy = writeCopy(ctx, start);
    await runEditor(editor, copy, ctx);
    const next = readFileSync(copy);
    if (Buffer.compare(next, start) === 0) {
      rmSync(copy);
      return { value: path, footer: 'nothing was changed' };
    }
    const leftover = { hint: `your text is in ${copy}` };
    checkText(next, copy, leftover);
    if (!(await replaceSettings(ctx.paths, ctx, { expected: before, next }))) {
      throw new SvcError(
        'file_unusable',
        `another process changed ${path} in the meantime; svc did not overwrite it`,
        leftover,
      );
    }
    rmSync(copy);
    return { value: path };
  },
});

/** Ends in .json, so that the editor knows what it is. */
function writeCopy({ paths, pid, now }: RunContext, content: Uint8Array): string {
  const copy = join(paths.config, `settings-edit-${pid}-${now()}.json`);
  try {
    makeFolder(paths.config);
    writeFileSync(copy, content, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw fileFailure(`cannot write ${copy}`, error);
  }
  return copy;
}

/** Its output goes to stderr: stdout is the command's own. The variable may hold options too. */
async function runEditor(editor: string, path: string, { env }: RunContext): Promise<void> {
  const options = { stdio: ['inherit', 2, 'inherit'] as ['inherit', 2, 'inherit'], env };
  const child =
    platform() === 'win32'
      ? spawn(`${editor} "${path}"`, { ...options, shell: true })
      : spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', path], options);
  const [code, signal] = await once(child, 'close');
  if (code === 0) return;
  throw new SvcError('file_unusable', `the editor ended with ${signal ?? `status ${code}`}; nothing was changed`, {
    hint: `your text is in ${path}`,
  });
}

function checkText(text: Uint8Array, path: string, leftover: { hint: string }): void {
  let document: SettingsDocument;
  try {
    document = parseSettings(text, path);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    throw new SvcError(error.code, error.message, { ...leftover, cause: error });
  }
  for (const [name, values] of Object.entries(document.profiles ?? {})) {
    for (const [key, value] of Object.entries(values)) {
      const setting = findSetting(key);
      const problem = setting && storedValue(setting, value).problem;
      if (problem) throw new SvcError('config_invalid', `profile ${name}: ${key} ${problem}`, leftover);
    }
  }
}
