// Writes completions/, the scripts that the package ships, as the built svc prints them.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { root, setup } from './setup.mjs';

const FILES = { bash: 'svc.bash', zsh: '_svc', fish: 'svc.fish', powershell: 'svc.ps1' };

setup();
mkdirSync(`${root}completions`, { recursive: true });
for (const [shell, file] of Object.entries(FILES)) {
  const script = execFileSync(process.execPath, [`${root}bin/svc.cjs`, 'completion', shell]);
  writeFileSync(`${root}completions/${file}`, script);
}
