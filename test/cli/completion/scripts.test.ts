/** The scripts that are shipped are those that the declarations give. `node scripts/completions.mjs` writes them anew. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allFlags } from '../../../src/cli/global-flags.ts';
import { GROUPS } from '../../../src/features/index.ts';
import { svc } from '../../support/svc.ts';
import { SCRIPTS } from './workshop.ts';

const FILES: Readonly<Record<string, string>> = {
  bash: 'svc.bash',
  zsh: '_svc',
  fish: 'svc.fish',
  powershell: 'svc.ps1',
};

describe.each(Object.entries(FILES))('%s', (shell, file) => {
  const committed = readFileSync(join(SCRIPTS, file), 'utf8');

  it('is what svc completion prints (run: node scripts/completions.mjs)', async () => {
    expect(await svc(['completion', shell])).toEqual({ code: 0, stdout: committed, stderr: '', asked: [], opened: [] });
  });

  it('knows every command, alias and option, and no hidden one', async () => {
    for (const group of GROUPS) {
      for (const command of (await group.load()).commands) {
        for (const name of [command.id, ...(command.aliases ?? []).map((alias) => `${group.name} ${alias}`)]) {
          expect(committed).toContain(`'${name}'`);
        }
        for (const [name, flag] of Object.entries(allFlags(command))) {
          const hidden = 'hidden' in flag && flag.hidden === true;
          const spelling = flag.type === 'boolean' && flag.default === true ? `--no-${name}` : `--${name}`;
          expect(new RegExp(`(^|[\\s'(])${spelling}[\\s':)]`, 'm').test(committed), spelling).toBe(!hidden);
        }
      }
    }
  });

  it('evaluates nothing', () => {
    for (const line of committed.split('\n').filter((line) => !/^\s*#/.test(line))) {
      expect(line).not.toMatch(/\b(eval|iex|Invoke-Expression|compgen -W)\b/);
    }
  });
});

const hasPwsh = spawnSync('pwsh', ['-NoProfile', '-Command', 'exit 0']).status === 0;

describe.skipIf(!hasPwsh)('PowerShell', () => {
  it('reads its script without an error', () => {
    const script = `$errors = $null
[void][System.Management.Automation.Language.Parser]::ParseFile('${join(SCRIPTS, 'svc.ps1')}', [ref]$null, [ref]$errors)
$errors | ForEach-Object { $_.Message }`;
    const { stdout, stderr } = spawnSync('pwsh', ['-NoProfile', '-Command', script], { encoding: 'utf8' });
    expect(`${stdout}${stderr}`).toBe('');
  });

  it('offers commands and choices', () => {
    const script = `. '${join(SCRIPTS, 'svc.ps1')}'
foreach ($line in 'svc al', 'svc alerts list --state s', 'svc alerts list --output=ta') {
  (TabExpansion2 $line $line.Length).CompletionMatches | ForEach-Object { $_.CompletionText }
}`;
    const { stdout } = spawnSync('pwsh', ['-NoProfile', '-Command', script], { encoding: 'utf8' });
    expect(stdout.trim().split(/\r?\n/)).toEqual(['alerts', 'silenced', 'suppressed', '--output=table']);
  });
});
