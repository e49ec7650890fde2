import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { zsh } from '../../support/peers.ts';
import { hasTmux } from '../../support/terminal.ts';
import { expectOneWord, expectTypableOffers } from './hostile.ts';
import { linePath, openShell, type Shell } from './shell.ts';
import { SCRIPTS, type Workshop, workshop } from './workshop.ts';

const peer = zsh();

/** Inserts every match, quoted as it would be alone. */
const ALL = 'C-t';

/** How the script reaches the shell: the help says both. */
const AUTOLOADED = `fpath=('${SCRIPTS}' $fpath); autoload -U compinit; compinit -D -u`;
const EVALUATED = `autoload -U compinit; compinit -D -u; eval "$(<'${SCRIPTS}/_svc')"`;

function openZsh(shop: Workshop, setup: string): Promise<Shell> {
  const line = linePath(shop.home);
  const rc = join(shop.home, 'rc');
  mkdirSync(rc);
  writeFileSync(
    join(rc, '.zshrc'),
    `PS1='%# '
unsetopt beep auto_menu
LISTMAX=10000
bindkey -e
${setup}
zle -C every complete-word _generic
bindkey '^T' every
zstyle ':completion:every:*' completer _all_matches _complete
zstyle ':completion:every:*' insert yes
dump() { print -r -- "$BUFFER" > '${line}.new'; mv '${line}.new' '${line}'; BUFFER= }
zle -N dump
bindkey '^O' dump
BUFFER= dump
`,
  );
  return openShell(shop, [peer?.command ?? 'zsh', '-i'], { ...peer?.env, ZSH_TEST_DIR: rc });
}

const missing = peer === undefined || !hasTmux;

describe.skipIf(missing)('zsh, by eval', () => {
  it('completes', async () => {
    const shop = await workshop();
    const terminal = await openZsh(shop, EVALUATED);
    try {
      shop.know('two words');
      expect(await terminal.complete('svc alerts rec')).toBe('svc alerts receivers ');
      expect(await terminal.complete('svc config use t')).toBe('svc config use two\\ words ');
    } finally {
      terminal.close();
      shop.close();
    }
  });
});

describe.skipIf(missing)('zsh, from fpath', () => {
  let shop: Workshop;
  let terminal: Shell;
  beforeAll(async () => {
    shop = await workshop();
    terminal = await openZsh(shop, AUTOLOADED);
  });
  afterAll(() => {
    terminal?.close();
    shop?.close();
  });
  beforeEach(() => shop.know());

  /** What is offered after `typed`, which ends in a blank or `=`. */
  const offered = async (typed: string): Promise<string[]> => {
    const line = await terminal.complete(typed, ALL);
    expect(line.startsWith(typed), line).toBe(true);
    return line
      .slice(typed.length)
      .split(' ')
      .filter((word) => word !== '');
  };

  it('completes names, options, choices and files', async () => {
    expect(await terminal.complete('svc al')).toBe('svc alerts ');
    expect(await terminal.complete('FOO=1 svc alerts q')).toBe('FOO=1 svc alerts query ');
    expect(await terminal.complete('svc silences rm --dry')).toBe('svc silences rm --dry-run ');
    expect(await terminal.complete('svc alerts list --output=js')).toBe('svc alerts list --output=json ');
    expect(await terminal.complete('svc alerts list -qo nd')).toBe('svc alerts list -qo ndjson ');
    expect(await terminal.complete('svc alerts create -f not')).toBe('svc alerts create -f notes.json ');
    expect(await terminal.complete('svc alerts create --file=no\\ ')).toBe('svc alerts create --file=no\\ spaces ');
    expect(await terminal.complete('svc alerts list -o json > not')).toBe('svc alerts list -o json > notes.json ');
    expect(await offered('svc alerts list --state ')).toEqual(
      ['active', 'silenced', 'inhibited', 'muted', 'suppressed', 'unprocessed'].sort(),
    );
  });

  it('offers settings and profiles without a request', async () => {
    shop.know('prod', 'test');
    expect(await offered('svc config use ')).toEqual(['default', 'prod', 'test']);
    expect(await terminal.complete('svc alerts list --profile p')).toBe('svc alerts list --profile prod ');
    expect(await terminal.complete('svc silences expire ')).toBe('svc silences expire ');
    expect(shop.connections()).toBe(0);
  });

  it('inserts any name as one word, and runs nothing', async () => {
    await expectOneWord(shop, terminal, () => ['--profile x', '--profile=x', "--profile 'x", '--profile "x']);
  });

  it('offers nothing that cannot be typed, and a leading dash only after a dash', async () => {
    await expectTypableOffers(shop, terminal);
  });
});
