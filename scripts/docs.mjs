// Writes the man pages of the package to man/, and docs/reference/. Both come from the built declarations.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const { preparedManual, preparedReference } = createRequire(import.meta.url)('../dist/pages.cjs');

for (const [folder, pages] of Object.entries({
  man: await preparedManual(),
  'docs/reference': await preparedReference(),
})) {
  const path = fileURLToPath(new URL(`../${folder}`, import.meta.url));
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  for (const [file, text] of Object.entries(pages)) writeFileSync(`${path}/${file}`, text);
}
