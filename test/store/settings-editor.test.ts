import { once } from 'node:events';
import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nameOwner } from '../../src/store/lock.ts';
import { changeSettings } from '../../src/store/settings-editor.ts';
import { lockContext, testFolder } from '../support/folder.ts';
import { childProgram } from './child.ts';

const folder = testFolder();
const children = childProgram();
const file = () => join(folder.paths.config, 'settings.json');
const content = () => JSON.parse(readFileSync(file(), 'utf8'));

function write(text: string): void {
  mkdirSync(folder.paths.config, { recursive: true });
  writeFileSync(file(), text);
}

describe('a change of the settings', () => {
  it('preserves unknown keys, including dots and odd names', async () => {
    const unknown = '"a.b": {"c.d": [1, null]}, "constructor": 1, "": "x"';
    write(`\ufeff{${unknown}, "profiles": {"p": {"alerts.uri": "y", "__proto__": {"z": 1}}}}`);
    await changeSettings(folder.paths, lockContext, (document) => ({ ...document, profile: 'p' }));
    const expected = JSON.parse(
      `{${unknown}, "profiles": {"p": {"alerts.uri": "y", "__proto__": {"z": 1}}}, "profile": "p"}`,
    );
    expect(JSON.stringify(content())).toBe(JSON.stringify(expected));
  });

  it('loses no key of 4 concurrent writers, and no reader sees half a file', async () => {
    let running = true;
    const names = ['a', 'b', 'c', 'd'];
    const writers = Promise.all(
      names.map((name) => children.run(['settings', folder.paths.config, '15', name])),
    ).finally(() => {
      running = false;
    });
    let reads = 0;
    while (running) {
      try {
        content();
        reads++;
      } catch (error) {
        expect(error).toMatchObject({ code: 'ENOENT' });
        expect(reads).toBe(0);
      }
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(await writers).toEqual(names.map(() => ({ status: 0, stderr: '' })));
    expect(reads).toBeGreaterThan(10);
    expect(Object.keys(content()).length).toBe(60);
    expect(readdirSync(folder.paths.config)).toEqual(['settings.json']);
  });

  it('writes nothing if another process took over its lock, and does not remove what that one has begun to write', async () => {
    const lock = `${file()}.lock`;
    const change = () => {
      const { id } = JSON.parse(readFileSync(lock, 'utf8'));
      writeFileSync(`${lock}.${id}`, JSON.stringify(nameOwner(process)));
      writeFileSync(`${file()}.new`, 'begun');
      return { profile: 'late' };
    };
    await expect(changeSettings(folder.paths, lockContext, change)).rejects.toThrow('took over the lock');
    expect(readFileSync(`${file()}.new`, 'utf8')).toBe('begun');
    expect(readdirSync(folder.paths.config)).not.toContain('settings.json');
  });

  it('survives kill -9 at any moment with a complete file', async () => {
    for (let round = 0; round < 3; round++) {
      const child = children.start(['settings', folder.paths.config, '100000', 'k']);
      const gone = once(child, 'close');
      const size = () => statSync(file(), { throwIfNoEntry: false })?.size ?? 0;
      const before = size();
      while (size() === before && child.exitCode === null) await new Promise(setImmediate);
      await new Promise((resolve) => setTimeout(resolve, round * 3));
      child.kill('SIGKILL');
      expect(await gone).toEqual([null, 'SIGKILL']);
      await changeSettings(folder.paths, lockContext, (document) => ({ round, ...document, [`after-${round}`]: 1 }));
    }
    expect(content()).toMatchObject({ 'after-0': 1, 'after-2': 1, 'k-0': 'x'.repeat(40) });
    const left = readdirSync(folder.paths.config).filter((name) => !/^settings\.json\.lock\.[\w-]{36}$/.test(name));
    expect(left).toEqual(['settings.json']);
  });

  it('leaves the file unchanged when the disk is full', async () => {
    const before = JSON.stringify({ profiles: { default: { 'alerts.author': 'x'.repeat(3000) } } });
    write(before);
    // If SNAP is set, conf alone would write in place.
    const env = { ...process.env, SNAP: '/snap/svc' };
    const { status, stderr } = await children.runWithFileLimit(2, ['settings', folder.paths.config, '1', 'late'], env);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(`cannot write ${file()}: `) });
    expect(readFileSync(file(), 'utf8')).toBe(before);
    expect(readdirSync(folder.paths.config)).toEqual(['settings.json']);
  });

  it('writes through a symbolic link, whose target may have any name', async () => {
    const real = join(folder.path, 'my settings');
    mkdirSync(folder.paths.config);
    writeFileSync(real, '{"theme": "dark"}');
    symlinkSync(real, file());
    await changeSettings(folder.paths, lockContext, (document) => ({ ...document, profile: 'default' }));
    expect(lstatSync(file()).isSymbolicLink()).toBe(true);
    expect(JSON.parse(readFileSync(real, 'utf8'))).toEqual({ theme: 'dark', profile: 'default' });
  });
});
