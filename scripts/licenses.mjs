/** Packages whose code is in the bundle: their licenses, which must be distributed with the code, and a bill of materials. */
import { readdirSync, readFileSync } from 'node:fs';

/** Licenses whose code may be distributed in a package under another license, if their text is included. */
const ALLOWED = ['BSD-3-Clause', 'ISC', 'MIT', 'MPL-2.0'];

const RULE = `\n${'-'.repeat(80)}\n\n`;

/** The licenses of all packages that these files come from, as one text. Throws if one may not be distributed, or does not say so. */
export function licenses(files) {
  const packages = folders(files).map(licenseOf);
  const faults = packages.flatMap(({ fault }) => fault ?? []);
  if (faults.length > 0) throw new Error(`the bundle cannot be distributed:\n${faults.join('\n')}`);
  return packages.map(({ title, source, text }) => `${title}\n${source}\n\n${text}\n`).join(RULE);
}

/** The same packages as a CycloneDX bill of materials of `component`, a name and a version. */
export function billOfMaterials(files, component) {
  const part = (type, name, version, license) => ({
    type,
    'bom-ref': `pkg:npm/${name.replace('@', '%40')}@${version}`,
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    licenses: [{ license: { id: license } }],
  });
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: part('application', component.name, component.version, component.license) },
    components: folders(files).map((folder) => {
      const { name, version, license } = manifest(folder);
      return part('library', name, version, license);
    }),
  };
}

function folders(files) {
  const all = files.map((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  return [...new Set(all)].filter((folder) => folder !== undefined).sort();
}

function manifest(folder) {
  return JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
}

function licenseOf(folder) {
  const { name, version, license, repository } = manifest(folder);
  const title = `${name} ${version} (${license})`;
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? '' : readFileSync(`${folder}/${file}`, 'utf8').trim();
  const source = address(repository?.url ?? repository);
  if (!ALLOWED.includes(license)) return { fault: `${title}: the license is not one of ${ALLOWED.join(', ')}` };
  if (text === '') return { fault: `${title}: no license text` };
  // The MPL requires the address of the source.
  if (source === undefined) return { fault: `${title}: does not say where its source is` };
  return { title, source, text };
}

/** package.json allows several spellings; `owner/name` is on GitHub. */
function address(repository) {
  if (repository === undefined) return undefined;
  if (/^[\w-]+\/[\w.-]+$/.test(repository)) return `https://github.com/${repository}`;
  return repository.replace(/^git\+|\.git$/g, '').replace(/^(?:git|ssh):\/\/(?:git@)?/, 'https://');
}
