/** A credential helper of the test's own: a program of Docker's protocol whose entries are files, each as small as Windows wants them. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** `HELPER_FAULT`: what goes wrong. Every call is a line in `calls`. */
const SCRIPT = `#!/bin/sh
input=$(cat)
echo "$*" >> "$HELPER_DIR/calls"
field() { rest=\${input#*\\"$1\\":\\"}; value=\${rest%%\\"*}; }
file() { at=$HELPER_DIR/entries/$(printf %s "\${1#https://svc.invalid/}" | tr / =); }
fault() { [ "\${HELPER_FAULT%% *}" = "$1" ] && [ "\${HELPER_FAULT#* }" = "$2" ]; }
fault hang "$1" && exec sleep 60
fault fail "$1" && { echo "the key store is locked"; exit 1; }
fault lie "$1" && exit 0
case "$1" in
  store)
    field Username; [ "$value" = svc ] || exit 1
    field ServerURL; file "$value"
    field Secret; secret=$value
    [ \${#secret} -le 2560 ] || { echo "The stub received bad data"; exit 1; }
    printf %s "$secret" > "$at.$$" && mv "$at.$$" "$at" ;;
  get)
    file "$input"
    [ -f "$at" ] || { echo "credentials not found in native keychain"; exit 1; }
    printf '{"ServerURL":"%s","Username":"svc","Secret":"%s"}' "$input" "$(cat "$at")" ;;
  erase)
    file "$input"
    [ -f "$at" ] || { echo "credentials not found in native keychain"; exit 1; }
    rm "$at" ;;
  list)
    echo '{'
    for at in "$HELPER_DIR"/entries/*; do
      [ -f "$at" ] && printf '%s"https://svc.invalid/%s":"svc"\n' "$comma" "$(basename "$at" | tr = /)" && comma=,
    done
    echo '}' ;;
esac
`;

export interface TestHelper {
  /** What svc needs to find it: its program is docker-credential-small. */
  readonly env: Readonly<Record<string, string>>;
  /** The names of its entries, without the address and the last, random part. */
  names(): readonly string[];
  /** Everything that is in it, as it is in it. */
  readonly contents: string;
  /** What was called: `get`, `store`, `erase`, `list`. */
  readonly calls: readonly string[];
  /** Forgets the calls. */
  forget(): void;
  /** Whether it has an entry of this address. */
  has(entry: string): boolean;
  /** Loses all entries. */
  clear(): void;
}

export function testHelper(folder: string): TestHelper {
  const entries = join(folder, 'entries');
  mkdirSync(entries, { recursive: true });
  const log = join(folder, 'calls');
  writeFileSync(log, '');
  const program = join(folder, 'docker-credential-small');
  writeFileSync(program, SCRIPT);
  chmodSync(program, 0o755);
  const files = (): string[] => readdirSync(entries).sort();
  return {
    env: { PATH: [folder, process.env['PATH']].join(delimiter), HELPER_DIR: folder },
    names: () => files().map((name) => name.replaceAll('=', '/').replace(/[0-9a-f]{12}(?=\/|$)/, '*')),
    get contents() {
      return files()
        .map((name) => readFileSync(join(entries, name), 'latin1'))
        .join('\n');
    },
    get calls() {
      return readFileSync(log, 'utf8').split('\n').slice(0, -1);
    },
    has: (entry) => files().includes(entry.replace('https://svc.invalid/', '').replaceAll('/', '=')),
    forget: () => writeFileSync(log, ''),
    clear: () => {
      for (const name of files()) rmSync(join(entries, name));
    },
  };
}
