/** The peers that other tests rely on are real and run here. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { alertmanagerBinary, amtoolBinary, fish, zsh } from './peers.ts';

const PEERS = [
  ['prometheus-alertmanager', alertmanagerBinary(), ['--version'], /alertmanager, version \d/],
  ['amtool', amtoolBinary(), ['--version'], /amtool, version \d/],
  ['zsh', zsh(), ['-c', 'autoload -Uz compinit && compinit -D && print $ZSH_VERSION'], /^\d+\.\d+/],
  ['fish', fish(), ['-c', 'complete --do-complete "cd /us" >/dev/null; echo $version'], /^\d+\.\d+/],
] as const;

describe.each(PEERS)('%s', (_, peer, args, banner) => {
  it.skipIf(peer === undefined)('runs', () => {
    if (peer === undefined) return;
    expect(execFileSync(peer.command, args, { encoding: 'utf8', env: { ...process.env, ...peer.env } })).toMatch(
      banner,
    );
  });
});
