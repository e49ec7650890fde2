/** The parameters of a query or a form, read as RFC 6749 §3.1 and §3.2 have it. */
import { OAuthRefusal } from './oauth-answer.ts';

export interface Parameters {
  /** One that is empty counts as missing. */
  get(name: string): string | undefined;
  /** Names that stand there more than once, which none may. */
  readonly repeated: ReadonlySet<string>;
}

/** Throws where it is not encoded well. */
export function readParameters(text: string): Parameters {
  if (/%(?![0-9a-f]{2})/i.test(text)) throw new OAuthRefusal('invalid_request', 'the parameters are not encoded well');
  const pairs = [...new URLSearchParams(text)];
  const values = new Map(pairs);
  return {
    get: (name) => values.get(name) || undefined,
    repeated: new Set(pairs.map(([name]) => name).filter((name, index, all) => all.indexOf(name) !== index)),
  };
}

const FORM = 'application/x-www-form-urlencoded';

/** A form body. Throws where it is none, or has a parameter twice. */
export function readForm(contentType: string | undefined, body: string): Parameters {
  const [type = ''] = (contentType ?? '').split(';');
  if (type.trim().toLowerCase() !== FORM) throw new OAuthRefusal('invalid_request', `the body must be ${FORM}`);
  const form = readParameters(body);
  for (const name of form.repeated) throw new OAuthRefusal('invalid_request', `${name} stands there more than once`);
  return form;
}

export function required(form: Parameters, name: string): string {
  const value = form.get(name);
  if (value === undefined) throw new OAuthRefusal('invalid_request', `${name} is required`);
  return value;
}
