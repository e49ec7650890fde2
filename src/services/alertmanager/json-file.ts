import { SvcError } from '../../errors.ts';

/** The one JSON value of a file that a person gave. `source` names the file in messages. */
export function parseJson(bytes: Uint8Array, source: string): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SvcError('invalid_value', `${source}: not UTF-8 text`);
  }
  if (text.trim() === '') throw new SvcError('invalid_value', `${source}: is empty`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SvcError('invalid_value', `${source}: not JSON: ${(error as Error).message}`, {
      hint: 'nothing was sent',
    });
  }
}
