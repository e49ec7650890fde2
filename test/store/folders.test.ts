import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../../src/store/own-file.ts';
import { testFolder } from '../support/folder.ts';

const folder = testFolder();

describe('makeFolder', () => {
  it('creates every folder of the path for its owner only, unless it exists', () => {
    const path = join(folder.path, 'a/b/c');
    makeFolder(path);
    makeFolder(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder.path, 'a')).mode & 0o777).toBe(0o700);
  });

  it('follows a link to a folder', () => {
    mkdirSync(join(folder.path, 'real'));
    symlinkSync(join(folder.path, 'real'), join(folder.path, 'link'));
    makeFolder(join(folder.path, 'link'));
    makeFolder(join(folder.path, 'link/inner'));
    expect(existsSync(join(folder.path, 'real/inner'))).toBe(true);
  });

  it('throws if a file is in the way', () => {
    writeFileSync(join(folder.path, 'file'), '');
    expect(() => makeFolder(join(folder.path, 'file'))).toThrow('EEXIST');
    expect(() => makeFolder(join(folder.path, 'file/inner'))).toThrow('ENOTDIR');
  });

  it.skipIf(!existsSync('/proc/self'))('throws if no folder can be created', () => {
    expect(() => makeFolder('/proc/svc-nowhere/a/b')).toThrow('ENOENT');
  });
});
