/** Samples as files of their own: they may hold what people said, and their ids are not to be trusted as names. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../../errors.ts';
import { errorCode, fileFailure } from '../../store/file-failure.ts';

/** The path of each, in their order. Exit 2 where one is there already. */
export function saveSamples(samples: readonly Readonly<Record<string, unknown>>[], folder: string): readonly string[] {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw fileFailure(`--save: cannot make ${folder}`, error);
  }
  return samples.map((sample) => {
    const body = `${JSON.stringify(sample, null, 2)}\n`;
    const path = join(folder, `${fileName(sample['id'], body)}.json`);
    try {
      writeFileSync(path, body, { flag: 'wx', mode: 0o600 });
    } catch (error) {
      if (errorCode(error) === 'EEXIST') {
        throw new SvcError('file_unusable', `--save: ${path} is there already, and is not overwritten`);
      }
      throw fileFailure(`--save: cannot write ${path}`, error);
    }
    return path;
  });
}

function fileName(id: unknown, body: string): string {
  if (typeof id === 'string' && /^[A-Za-z0-9_-]{1,100}$/.test(id)) return id;
  return `sample-${createHash('sha256').update(body).digest('hex').slice(0, 16)}`;
}
