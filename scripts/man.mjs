// Writes man/, the manual that the package ships, from the built declarations.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../man', import.meta.url));
const { preparedManual } = createRequire(import.meta.url)('../dist/pages.cjs');

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
for (const [file, text] of Object.entries(await preparedManual())) writeFileSync(`${folder}/${file}`, text);
