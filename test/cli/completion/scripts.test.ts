/** The scripts in completions/, and what `svc __complete` answers them. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Command, loadCommands } from '../../../src/cli/command.ts';
import { allFlags } from '../../../src/cli/common-flags.ts';
import { GROUPS } from '../../../src/features/index.ts';
import { svc, temporaryHome } from '../../support/svc.ts';
import { SCRIPTS, workshop } from './workshop.ts';

const FILES: Readonly<Record<string, string>> = {
  bash: 'svc.bash',
  zsh: '_svc',
  fish: 'svc.fish',
  powershell: 'svc.ps1',
};
const LONGEST_SCRIPT = 150;

describe.each(Object.entries(FILES))('the script for %s', (shell, file) => {
  const script = readFileSync(join(SCRIPTS, file), 'utf8');

  it('is what svc completion prints: short, because it asks svc, and without eval', async () => {
    expect(await svc(['completion', shell])).toEqual({ code: 0, stdout: script, stderr: '', asked: [], opened: [] });
    expect(script.split('\n').length - 1).toBeLessThanOrEqual(LONGEST_SCRIPT);
    expect(script).toContain('__complete');
    const code = script.split('\n').filter((line) => !/^\s*#/.test(line));
    expect(code.join('\n')).not.toMatch(/\b(eval|iex|Invoke-Expression|compgen -W)\b/);
  });
});

/** The values that are offered after a line, the word at the cursor last. */
async function offered(line: string): Promise<string[]> {
  const typed = line.split(' ');
  const current = typed.pop() ?? '';
  const { stdout } = await svc(['__complete', `matching=${current}`, ...typed]);
  const [, ...lines] = stdout.split('\n');
  return lines.map((value) => value.split('\t')[0] ?? '').filter((value) => value !== '');
}

/** The options of a command as they change its default. */
const spellingsOf = (command: Command): readonly string[] =>
  Object.entries(allFlags(command))
    .filter(([, flag]) => !('hidden' in flag && flag.hidden))
    .flatMap(([name, flag]) => [
      flag.type === 'boolean' && flag.default === true ? `--no-${name}` : `--${name}`,
      ...(flag.short === undefined ? [] : [`-${flag.short}`]),
    ]);

describe('svc __complete', () => {
  it('completes every command, its aliases and its options, but no hidden ones', async () => {
    for (const group of GROUPS) {
      for (const command of await loadCommands(group)) {
        for (const name of [command.id, ...(command.aliases ?? []).map((alias) => `${group.name} ${alias}`)]) {
          expect(await offered(name)).toContain(name.split(' ').at(-1));
          expect(await offered(`${name} --output=js`)).toEqual(['json']);
        }
        expect(await offered(`${command.id} -`)).toEqual(spellingsOf(command));
      }
    }
  });

  it('offers names, an alias if no name matches, options where one is allowed, and choices', async () => {
    expect(await offered('al')).toEqual(['alerts']);
    expect(await offered('alerts q')).toEqual(['query']);
    expect(await offered('bogus ')).toEqual([]);
    expect(await offered('-o json --profile alerts sil')).toEqual(['silences']);
    expect(await offered('help alerts li')).toEqual(['list']);
    expect(await offered('help ex')).toEqual(['exit-statuses']);
    expect(await offered('help --format ')).toEqual(['text', 'json']);
    expect(await offered('--v')).toEqual(['--version', '--verbose']);
    expect(await offered('silences rm --dry')).toEqual(['--dry-run']);
    expect(await offered('alerts list -qo nd')).toEqual(['ndjson']);
    expect(await offered('alerts list --state s')).toEqual(['silenced', 'suppressed']);
    expect(await offered('api alerts PA')).toEqual(['PATCH']);
    expect(await offered('silences create --dry-run c')).toEqual([]);
    expect(await offered('silences expire ')).toEqual([]);
  });

  it('tells a script whether files, a command, values or nothing follows', async () => {
    const answers = {
      'alerts list --cacert=no': 'files\t--cacert=\n',
      'alerts create -f no': 'files\t\n',
      'silences run a=b -- cat no': 'command\t1\n',
      'silences run a=b -- ': 'command\t0\n',
      'alerts list --older-than ': 'any\t\n',
      'alerts list -- --out': 'any\t\n',
      'alerts list --dry-run=': 'values\t--dry-run=\ncurl\n',
    };
    for (const [line, answer] of Object.entries(answers)) {
      const typed = line.split(' ');
      const current = typed.pop();
      expect((await svc(['__complete', `matching=${current}`, ...typed])).stdout, line).toBe(answer);
    }
  });

  it('completes a noun alone as its list', async () => {
    expect(await offered('trade positions ')).toEqual(['list', 'get', 'update']);
    expect(await offered('catalog products --order=obs')).toEqual(['observed_at_desc', 'observed_at_asc']);
    expect(await offered('trade positions --acc')).toEqual(['--account']);
    // A value of it follows, and no command.
    expect(await offered('trade positions --account ')).toEqual([]);
    expect(await offered('catalog products --order ')).toContain('price_asc');
  });

  it('offers every setting and profile of this machine, and nothing of a broken file', async () => {
    const home = temporaryHome();
    const profiles = async () => (await svc(['__complete', 'matching=', 'config', 'use'], { home })).stdout;
    expect(await offered('config get alerts.u')).toEqual(['alerts.url', 'alerts.urls', 'alerts.user']);
    expect(await profiles()).toBe('values\t\ndefault\n');
    mkdirSync(join(home, 'config'), { mode: 0o700 });
    writeFileSync(join(home, 'config/settings.json'), '{"profiles":{"prod":{},"-p":{},"a\\nb":{}}}', { mode: 0o600 });
    expect(await profiles()).toBe('values\t\ndefault\nprod\n');
    writeFileSync(join(home, 'config/settings.json'), '{');
    expect(await profiles()).toBe('');
  });

  it('returns nothing to a script of another version', async () => {
    expect(await svc(['__complete', 'receivers', '', '--', 'alerts'])).toMatchObject({ code: 0, stdout: '' });
    expect(await svc(['__complete'])).toMatchObject({ code: 0, stdout: '' });
  });
});

const hasPwsh = spawnSync('pwsh', ['-NoProfile', '-Command', 'exit 0']).status === 0;

describe.skipIf(!hasPwsh)('PowerShell', () => {
  it('offers commands and choices', async () => {
    const shop = await workshop();
    const script = `. '${join(SCRIPTS, 'svc.ps1')}'
foreach ($line in 'svc al', 'svc alerts list --state s', 'svc alerts list --output=ta') {
  (TabExpansion2 $line $line.Length).CompletionMatches | ForEach-Object { $_.CompletionText }
}`;
    const { stdout } = spawnSync('pwsh', ['-NoProfile', '-Command', script], { encoding: 'utf8', env: shop.env });
    shop.close();
    expect(stdout.trim().split(/\r?\n/)).toEqual(['alerts', 'silenced', 'suppressed', '--output=table']);
  });
});
