import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasTmux } from '../../support/terminal.ts';
import { expectOneWord, expectTypableOffers } from './hostile.ts';
import { linePath, openShell, type Shell } from './shell.ts';
import { SCRIPTS, type Workshop, workshop } from './workshop.ts';

const hasBash = spawnSync('bash', ['--version']).status === 0;

let shop: Workshop;
beforeAll(async () => {
  shop = await workshop();
});
afterAll(() => shop.close());

describe.skipIf(!hasBash || !hasTmux)('bash, in a terminal', () => {
  let terminal: Shell;
  beforeAll(async () => {
    const line = linePath(shop.home);
    writeFileSync(
      join(shop.home, 'bashrc'),
      `PS1='$ '
bind 'set bell-style none' 'set completion-query-items 0' 'set page-completions off'
dump() { printf '%s\\n' "$READLINE_LINE" > '${line}.new'; mv '${line}.new' '${line}'; READLINE_LINE=; }
bind -x '"\\C-o": dump'
. '${SCRIPTS}/svc.bash'
dump
`,
    );
    terminal = await openShell(shop, ['bash', '--noprofile', '--rcfile', join(shop.home, 'bashrc'), '-i']);
  });
  afterAll(() => terminal?.close());
  beforeEach(() => shop.know());

  it('completes names, options, choices and files', async () => {
    expect(await terminal.complete('svc al')).toBe('svc alerts ');
    expect(await terminal.complete('cd / ; FOO=1 svc alerts sta')).toBe('cd / ; FOO=1 svc alerts status ');
    expect(await terminal.complete('svc alerts list --output=js')).toBe('svc alerts list --output=json ');
    expect(await terminal.complete('svc alerts list --output="js')).toBe('svc alerts list --output="json" ');
    expect(await terminal.complete('svc alerts list --state s')).toBe('svc alerts list --state s');
    expect(await terminal.complete('svc alerts list --base-url http://h:1 --state sil')).toBe(
      'svc alerts list --base-url http://h:1 --state silenced ',
    );
    expect(await terminal.complete('svc alerts create -f not')).toBe('svc alerts create -f notes.json ');
    expect(await terminal.complete('svc alerts create --file=no\\ s')).toBe('svc alerts create --file=no\\ spaces ');
    expect(await terminal.complete('svc alerts list -o json 2>&1 > not')).toBe(
      'svc alerts list -o json 2>&1 > notes.json ',
    );
    expect(await terminal.complete('svc  list', 'Home', 'M-f', 'Right', 'a', 'l', 'Tab')).toBe('svc alerts list');
  });

  it('completes the command line after --', async () => {
    expect(await terminal.complete('svc silences run a=b -- prin', 'Tab', 'e', 'Tab')).toBe(
      'svc silences run a=b -- printenv ',
    );
    expect(await terminal.complete('svc silences run a=b -- cat not')).toBe('svc silences run a=b -- cat notes.json ');
  });

  it('inserts any name as one word, and runs nothing', async () => {
    await expectOneWord(shop, terminal, (name) => [
      '--profile x',
      '--profile=x',
      "--profile 'x",
      ...(name.includes('!') ? [] : ['--profile="x']),
    ]);
  });

  it('continues a partly typed name in any quoting', async () => {
    shop.know('team (db):x y', 'team (web)');
    for (const typed of [
      'team\\ \\(d',
      "'team (d",
      '"team (d',
      "te'am (d'",
      'team\\ \\(db\\):',
      'team\\ \\(db\\):x\\',
    ]) {
      expect(await terminal.run(`svc config use ${typed}`), typed).toEqual(['config', 'use', 'team (db):x y']);
    }
    // As far as both go, and on from there.
    expect(await terminal.run('svc config use t', 'Tab', 'w', 'Tab')).toEqual(['config', 'use', 'team (web)']);
  });

  it('offers nothing that cannot be typed, and a leading dash only after a dash', async () => {
    await expectTypableOffers(shop, terminal);
    expect(existsSync(join(shop.folder, 'MARKER'))).toBe(false);
  });
});
