import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { svc, temporaryHome } from '../../../support/svc.ts';

let home: string;
beforeEach(() => {
  home = temporaryHome();
});
const config = () => join(home, 'config');
const file = () => join(config(), 'settings.json');
const files = () => readdirSync(config());

function write(text: string): void {
  mkdirSync(config(), { recursive: true, mode: 0o700 });
  writeFileSync(file(), text);
}

/** An editor that runs this shell text with the copy as `$1`. Its path has a space, its variable an option. */
function editor(script: string): { EDITOR: string } {
  const path = join(home, 'my editor');
  writeFileSync(path, `#!/bin/sh\n[ "$1" = --wait ] || exit 9\nshift\n${script}\n`);
  chmodSync(path, 0o755);
  return { EDITOR: `'${path}' --wait` };
}

const edit = (env: Record<string, string>, terminal: { terminal?: number } = { terminal: 200 }) =>
  svc(['config', 'edit', '--color', 'never'], {
    home,
    env: { PATH: process.env['PATH'], ...env },
    here: true,
    ...terminal,
  });

describe('svc config edit', () => {
  it('replaces the file by what the editor wrote, byte for byte', async () => {
    write('{}');
    const text = '{"profiles":\n\n{"default": {"timeout": "5s"}}}';
    expect(await edit(editor(`[ "$(stat -c %a "$1")" = 600 ] && printf '%s' '${text}' > "$1"`))).toMatchObject({
      code: 0,
      stdout: `${file()}\n`,
    });
    expect(readFileSync(file(), 'utf8')).toBe(text);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(files()).toEqual(['settings.json']);
  });

  it('starts with a template if there is no file, and writes none without changes', async () => {
    const { stderr } = await edit(editor('grep -q profiles "$1"'));
    expect(stderr).toContain('nothing was changed\n');
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
    ['{"profiles": []}', '"profiles" must be an object'],
  ])('stores %j beside the unchanged file', async (text, message) => {
    write('{}');
    const { code, stderr } = await edit(editor(`printf '%s' '${text}' > "$1"`));
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(readFileSync(file(), 'utf8')).toBe('{}');
    const [copy = ''] = files().filter((name) => name !== 'settings.json');
    expect(stderr).toContain(`your text is in ${join(config(), copy)}\n`);
    expect(readFileSync(join(config(), copy), 'utf8')).toBe(text);
  });

  it('does not undo a concurrent change', async () => {
    write('{}');
    const script = `printf '{"profile": "theirs"}' > '${file()}'; printf '{"profile": "mine"}' > "$1"`;
    expect(await edit(editor(script))).toMatchObject({ code: 2, stderr: expect.stringContaining('your text is in') });
    expect(readFileSync(file(), 'utf8')).toBe('{"profile": "theirs"}');
  });

  it('changes nothing when the editor fails or does not exist', async () => {
    write('{}');
    const failed = await edit(editor('echo x > "$1"; exit 1'));
    expect(failed).toMatchObject({ code: 2, stderr: expect.stringContaining('status 1') });
    const missing = await edit({ EDITOR: '/nonexistent' });
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('127') });
    expect(readFileSync(file(), 'utf8')).toBe('{}');
  });

  it('says why it cannot make its folder', async () => {
    writeFileSync(join(home, 'file'), '');
    home = join(home, 'file');
    expect(await edit({ EDITOR: 'true' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('not a directory'),
    });
  });

  it('exits 2 without a terminal or an editor', async () => {
    expect((await edit({ EDITOR: 'true' }, {})).code).toBe(2);
    expect((await edit({ EDITOR: '' })).code).toBe(2);
    expect(existsSync(config())).toBe(false);
  });
});
