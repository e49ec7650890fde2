import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fish } from '../../support/peers.ts';
import { hasTmux } from '../../support/terminal.ts';
import { expectOneWord } from './hostile.ts';
import { linePath, openShell, type Shell } from './shell.ts';
import { SCRIPTS, type Workshop, workshop } from './workshop.ts';

const peer = fish();

describe.skipIf(peer === undefined || !hasTmux)('fish', () => {
  let shop: Workshop;
  beforeAll(async () => {
    shop = await workshop();
    // Without this folder a first fish would fill it in the background, from every manual page of the machine.
    mkdirSync(join(shop.home, '.local/share/fish/generated_completions'), { recursive: true });
    const config = join(shop.home, '.config/fish');
    mkdirSync(join(config, 'completions'), { recursive: true });
    writeFileSync(join(config, 'completions/svc.fish'), `source '${SCRIPTS}/svc.fish'\n`);
    writeFileSync(
      join(config, 'config.fish'),
      `set -g fish_greeting
function fish_prompt; echo '> '; end
function dump
  commandline >'${linePath(shop.home)}.new'
  mv '${linePath(shop.home)}.new' '${linePath(shop.home)}'
  commandline ''
end
function fish_user_key_bindings; bind \\co dump; end
function ready --on-event fish_prompt; functions -e ready; dump; end
`,
    );
  });
  afterAll(() => shop?.close());
  beforeEach(() => shop.know());

  let terminal: Shell;
  beforeAll(async () => {
    terminal = await openShell(shop, [peer?.command ?? 'fish', '-i'], peer?.env);
  });
  afterAll(() => terminal?.close());

  it('completes names, options, choices and files', async () => {
    expect(await terminal.complete('svc al')).toBe('svc alerts ');
    expect(await terminal.complete('svc alerts list --no-h')).toBe('svc alerts list --no-headers ');
    expect(await terminal.complete('svc alerts list --state si')).toBe('svc alerts list --state silenced ');
    expect(await terminal.complete('svc alerts list --output=ta')).toBe('svc alerts list --output=table ');
    expect(await terminal.complete('svc alerts create -f not')).toBe('svc alerts create -f notes.json ');
    expect(await terminal.complete('svc alerts create --file=not')).toBe('svc alerts create --file=notes.json ');
    expect(await terminal.complete('svc alerts list not')).toBe('svc alerts list not');
  });

  it('continues a partly typed name in any quoting', async () => {
    shop.know("it's (db) $x");
    for (const typed of ["'it\\'s (", '"it\'s (', "it\\'s\\ \\("]) {
      expect(await terminal.run(`svc config use ${typed}`), typed).toEqual(['config', 'use', "it's (db) $x"]);
    }
  });

  it('offers no name that begins with a tilde, which fish does not quote', async () => {
    shop.know('~root');
    expect(await terminal.complete('svc config use ')).toBe('svc config use default ');
  });

  it('inserts any name as one word, and runs nothing', async () => {
    await expectOneWord(shop, terminal, () => ['--profile x', '--profile=x']);
  });
});
