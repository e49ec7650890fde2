/** The licences of the packages whose code is in the bundle, which ask to go where the code goes. */
import { readdirSync, readFileSync } from 'node:fs';

/** Those that let their code be shipped in a package under another licence, beside their own text. */
const ALLOWED = ['BSD-3-Clause', 'ISC', 'MIT', 'MPL-2.0'];

const RULE = `\n${'-'.repeat(80)}\n\n`;

/** One text for all packages that these files are from. Throws where one of them may not be shipped, or does not say so. */
export function licences(files) {
  const folders = files.map((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  const packages = [...new Set(folders)]
    .filter((folder) => folder !== undefined)
    .sort()
    .map(licence);
  const faults = packages.flatMap(({ fault }) => fault ?? []);
  if (faults.length > 0) throw new Error(`what is bundled cannot be shipped:\n${faults.join('\n')}`);
  return packages.map(({ title, source, text }) => `${title}\n${source}\n\n${text}\n`).join(RULE);
}

function licence(folder) {
  const { name, version, license, repository } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const title = `${name} ${version} (${license})`;
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? '' : readFileSync(`${folder}/${file}`, 'utf8').trim();
  const source = address(repository?.url ?? repository);
  if (!ALLOWED.includes(license)) return { fault: `${title}: the licence is not one of ${ALLOWED.join(', ')}` };
  if (text === '') return { fault: `${title}: no licence text` };
  // The MPL asks for the place of the source.
  if (source === undefined) return { fault: `${title}: does not say where its source is` };
  return { title, source, text };
}

/** package.json knows several spellings; `owner/name` is on GitHub. */
function address(repository) {
  if (repository === undefined) return undefined;
  if (/^[\w-]+\/[\w.-]+$/.test(repository)) return `https://github.com/${repository}`;
  return repository.replace(/^git\+|\.git$/g, '').replace(/^(?:git|ssh):\/\/(?:git@)?/, 'https://');
}
