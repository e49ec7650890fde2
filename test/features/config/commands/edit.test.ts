import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configEdit } from '../../../../src/features/config/commands/edit.ts';
import { testFolder } from '../../../support/folder.ts';
import { runContext } from './context.ts';

const folder = testFolder();
const file = () => join(folder.paths.config, 'settings.json');
const files = () => readdirSync(folder.paths.config);

function write(text: string): void {
  mkdirSync(folder.paths.config, { recursive: true });
  writeFileSync(file(), text);
}

/** An editor that runs this shell text with the copy as `$1`. Its path has a space, its variable an option. */
function editor(script: string): { EDITOR: string } {
  const path = join(folder.path, 'my editor');
  writeFileSync(path, `#!/bin/sh\n[ "$1" = --wait ] || exit 9\nshift\n${script}\n`);
  chmodSync(path, 0o755);
  return { EDITOR: `'${path}' --wait` };
}

const edit = async (env: Record<string, string>, interactive = true) =>
  configEdit.run({}, await runContext(folder.paths, { env, interactive }));

describe('config edit', () => {
  it('replaces the file by what the editor wrote, byte for byte', async () => {
    write('{}');
    const text = '{"profiles":\n\n{"default": {"timeout": "5s"}}}';
    expect(await edit(editor(`[ "$(stat -c %a "$1")" = 600 ] && printf '%s' '${text}' > "$1"`))).toEqual({
      value: file(),
    });
    expect(readFileSync(file(), 'utf8')).toBe(text);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(files()).toEqual(['settings.json']);
  });

  it('starts with a template if there is no file, and writes none without changes', async () => {
    const answer = await edit(editor('grep -q profiles "$1"'));
    expect(answer.footer).toBe('nothing was changed');
    expect(files()).toEqual([]);
  });

  it('prefers VISUAL, and can repair a broken file', async () => {
    write('{"profile": ');
    const { EDITOR } = editor('printf "{}" > "$1"');
    await edit({ VISUAL: EDITOR, EDITOR: 'false' });
    expect(readFileSync(file(), 'utf8')).toBe('{}');
  });

  it.each([
    ['{"profile": x}', 'not valid JSON'],
    ['{"profiles": {"p": {"timeout": "soon"}}}', 'profile p: timeout is not a duration'],
    ['{"profiles": {"p": {"output": {}}}}', 'profile p: output must be a string'],
    ['{"profiles": []}', '"profiles" must be an object'],
  ])('stores %j beside the unchanged file', async (text, message) => {
    write('{}');
    const error = await edit(editor(`printf '%s' '${text}' > "$1"`)).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'config_invalid', message: expect.stringContaining(message) });
    expect(readFileSync(file(), 'utf8')).toBe('{}');
    const [copy = ''] = files().filter((name) => name !== 'settings.json');
    expect(error.hint).toBe(`your text is in ${join(folder.paths.config, copy)}`);
    expect(readFileSync(join(folder.paths.config, copy), 'utf8')).toBe(text);
  });

  it('does not undo a concurrent change', async () => {
    write('{}');
    const script = `printf '{"profile": "theirs"}' > '${file()}'; printf '{"profile": "mine"}' > "$1"`;
    await expect(edit(editor(script))).rejects.toMatchObject({
      exit: 2,
      hint: expect.stringContaining('your text is in'),
    });
    expect(readFileSync(file(), 'utf8')).toBe('{"profile": "theirs"}');
  });

  it('changes nothing when the editor fails or does not exist', async () => {
    write('{}');
    await expect(edit(editor('echo x > "$1"; exit 1'))).rejects.toMatchObject({
      message: expect.stringContaining('status 1'),
    });
    await expect(edit({ EDITOR: '/nonexistent' })).rejects.toMatchObject({
      exit: 2,
      message: expect.stringContaining('127'),
    });
    expect(readFileSync(file(), 'utf8')).toBe('{}');
  });

  it('exits 2 without a terminal or an editor', async () => {
    await expect(edit({ EDITOR: 'true' }, false)).rejects.toMatchObject({ code: 'usage', exit: 2 });
    await expect(edit({ EDITOR: '' })).rejects.toMatchObject({ code: 'missing_value', exit: 2 });
    expect(readdirSync(folder.path)).toEqual([]);
  });
});
