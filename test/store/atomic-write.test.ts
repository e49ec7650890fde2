import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { realTarget, writeAtomic } from '../../src/store/own-file.ts';
import { testFolder } from '../support/folder.ts';
import { ordinaryUser } from '../support/stranger.ts';
import { childProgram } from './child.ts';

const folder = testFolder();
const children = childProgram();
const ordinary = ordinaryUser(process.execPath);

describe('writeAtomic', () => {
  it('replaces the file with mode 0600, whatever the old mode', () => {
    const path = join(folder.path, 'file');
    writeFileSync(path, 'old', { mode: 0o666 });
    writeAtomic(path, 'new');
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder.path)).toEqual(['file']);
  });

  it('removes leftovers of a killed writer, and follows no planted link', () => {
    const path = join(folder.path, 'file');
    const victim = join(folder.path, 'victim');
    writeFileSync(victim, 'precious');
    symlinkSync(victim, `${path}.new`);
    writeAtomic(path, 'new');
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    expect(lstatSync(path).isSymbolicLink()).toBe(false);
  });

  it('leaves the old content and nothing else when the disk is full half-way', async () => {
    const path = join(folder.path, 'file');
    writeFileSync(path, 'old');
    const { status, stderr } = await children.runWithFileLimit(1, ['write', path, '5000']);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining(`file_unusable: cannot write ${path}: `),
    });
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(folder.path)).toEqual(['file']);
  });

  it.skipIf(ordinary === undefined)('reports a read-only folder', async () => {
    const readOnly = join(folder.path, 'ro');
    const path = join(readOnly, 'file');
    mkdirSync(readOnly);
    writeFileSync(path, 'old', { mode: 0o644 });
    chmodSync(folder.path, 0o755);
    chmodSync(readOnly, 0o555);
    const { status, stderr } = await children.run(['write', path, '5'], ordinary);
    chmodSync(readOnly, 0o755); // or an ordinary user cannot delete the file in it
    expect({ status, stderr }).toEqual({ status: 2, stderr: `file_unusable: cannot write ${path}: permission denied` });
    expect(readFileSync(path, 'utf8')).toBe('old');
  });
});

describe('realTarget', () => {
  it('is the target of a link, or the path itself if nothing exists', () => {
    writeFileSync(join(folder.path, 'file'), '');
    symlinkSync('file', join(folder.path, 'link'));
    expect(realTarget(join(folder.path, 'link'))).toBe(realTarget(join(folder.path, 'file')));
    expect(realTarget(join(folder.path, 'none', 'file'))).toBe(join(folder.path, 'none', 'file'));
  });

  it('refuses a link to nothing, which a rename would replace', () => {
    const link = join(folder.path, 'link');
    symlinkSync(join(folder.path, 'nowhere'), link);
    expect(() => realTarget(link)).toThrow(/symbolic link/);
    expect(existsSync(join(folder.path, 'nowhere'))).toBe(false);
  });
});
