import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fish } from '../../support/peers.ts';
import { inTurn } from '../../support/turns.ts';
import { HOSTILE } from './hostile.ts';
import { linePath, openTerminal, type Terminal, tmux } from './terminal.ts';
import { SCRIPTS, type Workshop, workshop } from './workshop.ts';

const peer = fish();

describe.skipIf(peer === undefined)('fish', () => {
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

  /** What fish offers for each line. */
  const offered = (...lines: readonly string[]): string[][] => {
    const script = `for line in $argv; complete --do-complete $line; echo ==; end`;
    const text = execFileSync(
      peer?.command ?? 'fish',
      ['-N', '-c', `source '${SCRIPTS}/svc.fish'; ${script}`, ...lines],
      {
        encoding: 'utf8',
        cwd: shop.folder,
        env: { ...shop.env, ...peer?.env },
      },
    );
    return text
      .split(/^==\n/m)
      .slice(0, -1)
      .map((part) => part.split('\n').slice(0, -1));
  };
  const typed = (lines: readonly string[] | undefined): string[] =>
    (lines ?? []).map((line) => line.split('\t')[0] ?? '');

  it('offers names with descriptions, options, choices and files', () => {
    const [group, options, state, attached, file, attachedFile, none] = offered(
      'svc al',
      'svc alerts list --no-h',
      'svc alerts list --state s',
      'svc alerts list --output=ta',
      'svc alerts create -f not',
      'svc alerts create --file=not',
      'svc alerts list not',
    );
    expect(group).toEqual(['alerts\tList, check and send alerts']);
    expect(typed(options)).toEqual(['--no-headers']);
    expect(typed(state)).toEqual(expect.arrayContaining(['silenced', 'suppressed']));
    expect(typed(attached)).toEqual(['--output=table']);
    expect(typed(file)).toEqual(['notes.json']);
    expect(typed(attachedFile)).toEqual(['--file=notes.json']);
    expect(none).toEqual([]);
  });

  describe.skipIf(tmux === undefined)('in a terminal', () => {
    let terminal: Terminal;
    beforeAll(async () => {
      terminal = await openTerminal(shop, [peer?.command ?? 'fish', '-i'], peer?.env);
    });
    afterAll(() => terminal?.close());

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

    it('inserts any name as one word, and runs nothing', { timeout: 120_000 }, async () => {
      for (const [index, name] of HOSTILE.entries()) {
        shop.know(`x${name}`);
        for (const typed of inTurn(['--profile x', '--profile=x'], index, 1)) {
          const expected = typed.includes('=') ? [`--profile=x${name}`] : ['--profile', `x${name}`];
          expect(await terminal.run(`svc alerts list ${typed}`)).toEqual(['alerts', 'list', ...expected]);
        }
      }
      expect(readdirSync(shop.folder)).not.toContain('MARKER');
    });
  });
});
