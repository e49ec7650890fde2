/** From what somebody typed to a setting, and whether a text is a value of it. */
import { isAbsolute } from 'node:path';
import { SvcError } from '../errors.ts';
import { findSetting, SETTING_KEYS, type Setting } from './setting-keys.ts';

const DURATION = /^(?=\d)(?:\d+y)?(?:\d+w)?(?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+s)?(?:\d+ms)?$/;

/** The setting of a key that somebody typed. */
export function requireSetting(key: string): Setting {
  const setting = findSetting(key);
  if (setting !== undefined) return setting;
  throw new SvcError('invalid_value', `there is no setting "${key}"`, {
    hint: `settings: ${SETTING_KEYS.map((known) => known.key).join(', ')}`,
  });
}

/** What is wrong with the text, as the end of a sentence that begins with its name; undefined when nothing is. */
export function problemWith(setting: Setting, text: string): string | undefined {
  if (text === '') return 'is empty';
  if (/[\x00-\x1f\x7f]/.test(text)) return 'holds a control character';
  switch (setting.type) {
    case 'url':
      return urlProblem(text);
    case 'choice':
      return setting.choices?.includes(text) ? undefined : `is none of ${setting.choices?.join(', ')}`;
    case 'duration':
      if (!DURATION.test(text)) return 'is no duration such as 30s or 1h30m';
      return /[1-9]/.test(text) ? undefined : 'must be longer than zero';
    case 'integer':
      return integerProblem(setting, text);
    case 'text':
    case 'path':
      return undefined;
  }
}

/**
 * Stricter than for an option or a variable: a path that is kept must mean the same from every working directory.
 */
export function problemWithStored(setting: Setting, text: string): string | undefined {
  const problem = problemWith(setting, text);
  if (problem === undefined && setting.type === 'path' && !isAbsolute(text)) return 'must be an absolute path';
  return problem;
}

/** The text as it may be shown: an address that is refused may be so for the password in it. */
export function shownValue(setting: Setting, text: string): string {
  if (setting.type !== 'url' || urlProblem(text) === undefined) return text;
  return text.replace(/^([a-z][a-z0-9+.-]*:[/\\]*)?.*@/is, '$1***@');
}

function urlProblem(text: string): string | undefined {
  if (!/^https?:\/\/[^/\s]/i.test(text) || /\s/.test(text) || !URL.canParse(text)) {
    return 'is no http:// or https:// address';
  }
  const { username, password } = new URL(text);
  return username === '' && password === '' ? undefined : 'must not hold a user name or password';
}

function integerProblem({ min = 0, max = Number.MAX_SAFE_INTEGER }: Setting, text: string): string | undefined {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return number >= min && number <= max ? undefined : `must be a whole number from ${min} to ${max}`;
}
