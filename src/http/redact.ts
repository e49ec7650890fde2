/** Redacts secrets that svc does not know, by their names, in everything that is shown. */

export const HIDDEN = '***';

/** A secret that is not shown when it is printed, logged or serialized by mistake. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return HIDDEN;
  }
}

const SECRET_HEADER =
  /auth(entication|orization)|(^|[-_])auth([-_]|$)|cookie|token|secret|password|credential|session|api[-_]?key/i;
const HARMLESS_HEADER = /^(www|proxy)-authenticate$|^access-control-/i;

/** Whether a header or an option of this name has a secret for its value. */
export function isSecretName(name: string): boolean {
  return SECRET_HEADER.test(name) && !HARMLESS_HEADER.test(name);
}

/** The scheme of an `authorization` stays. `secretNames` are in lower case. */
export function redactHeaders(
  headers: Readonly<Record<string, string>>,
  secretNames: ReadonlySet<string>,
): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (secretNames.has(name.toLowerCase())) shown[name] = HIDDEN;
    else if (isSecretName(name)) shown[name] = value.replace(/^(?:(Bearer|Basic) )?.*$/is, hideAfterScheme);
    else shown[name] = redactText(value);
  }
  return shown;
}

function hideAfterScheme(_all: string, scheme: string | undefined): string {
  return scheme === undefined ? HIDDEN : `${scheme} ${HIDDEN}`;
}

/** Names of secret fields, in any notation: `refresh_token`, `x-api-key`, `client_secret`. */
const STRONG =
  '(?:[\\w.-]*[_-])?(?:access_?token|refresh_?token|id_?token|(?<=[_-])token|secret|passw(?:or)?d|api[_-]?key|private[_-]?key|code_?verifier|device_?code|assertion|credential|sessionid)s?';
/** Names that are secret in an address, a form or JSON, but ordinary words in a sentence. */
const WEAK = 'token|code|sid|auth|authorization|cookie|session';

const HEADER_LINE =
  /((?:^|[^\w"'-])(?:proxy-authorization|authorization|set-cookie|cookie|x-[\w-]*(?:key|token|secret))[ \t]*:[ \t]*)(?:(Bearer|Basic) )?[^\r\n]+/gim;
const USERINFO = /([a-z][a-z0-9+.-]{0,15}:\/\/)[^\s/?#"'<>]*@/gi;
/** `Bearer` before one of these words is a name, and no token follows. */
const BEARER =
  /\b(bearer)(\s+)(?!\w+=["']|(?:authentic|authori[sz])ation(?![\w.~+/=-])|(?:credential|token|scheme|challenge)s?(?![\w.~+/=-]))[\w.~+/=-]{6,}/gi;
const BASIC = /\b(basic)(\s+)([\w+/=-]{6,})/gi;
const SIGNING_SECRET = /whsec_[\w+/=-]+/g;
const PARAMETER = new RegExp(`((?:^|[?&;#\\s"'(,])(?:${STRONG}|${WEAK})=)(?!\\*{3})[^&\\s"'#<>)]+`, 'gi');
const ASSIGNED = new RegExp(
  `((?:^|[^\\w"'.-])(?:${STRONG})["']?\\s*[:=]\\s*)("[^"]*"?|'[^']*'?|[^\\s"',;&{}[\\]]+)`,
  'gi',
);
const JSON_FIELD = new RegExp(
  `("(?:${STRONG}|${WEAK})"\\s*:\\s*)(?:"((?:[^"\\\\]|\\\\[^])*)(?:"|\\\\?$)|-?[\\d.eE+-]+)`,
  'gi',
);
/** The same inside a JSON string, where every quote is preceded by backslashes. */
const NESTED_FIELD = new RegExp(`((\\\\{1,8})"(?:${STRONG}|${WEAK})\\2"\\s*:\\s*\\2")[^]*?(\\2"|$)`, 'gi');
const SECRET_FIELD = new RegExp(`^(?:${STRONG}|${WEAK})$`, 'i');

/** The fields of a form with secret values replaced. */
export function redactForm(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, SECRET_FIELD.test(name) ? HIDDEN : value]),
  );
}

/** Error codes, `{"error":{"code":"quota_exceeded"}}`: words, unlike random authorization codes. */
const ERROR_NAME = /^[a-z]{2,}(_[a-z]+)*$/;

/**
 * Redacts credentials in headers and addresses, tokens, and secret fields of queries, forms and
 * JSON, complete or not. Redacting twice changes nothing.
 */
export function redactText(text: string): string {
  return text
    .replace(HEADER_LINE, (_all, head: string, scheme?: string) => `${head}${hideAfterScheme('', scheme)}`)
    .replace(USERINFO, `$1${HIDDEN}@`)
    .replace(SIGNING_SECRET, `whsec_${HIDDEN}`)
    .replace(JSON_FIELD, redactField)
    .replace(NESTED_FIELD, `$1${HIDDEN}$3`)
    .replace(PARAMETER, `$1${HIDDEN}`)
    .replace(ASSIGNED, redactAssigned)
    .replace(BEARER, `$1$2${HIDDEN}`)
    .replace(BASIC, redactBasic);
}

function redactField(all: string, head: string, value: string | undefined): string {
  if (/^"code"/i.test(head) && (value === undefined || (value.length <= 32 && ERROR_NAME.test(value)))) return all;
  return value === '' ? all : `${head}"${HIDDEN}"`;
}

/** An error code may end like a token's name: `bad_refresh_token`. A password may be a sentence. */
const MAY_BE_AN_ERROR = /(?<!passw(?:or)?ds?["']?\s*):\s+$/i;
/** How such sentences begin and go on; any other word may be the token itself. */
const SENTENCE_START = /^(?:the|this|that|your|an|a|no|is|was|has|must|not|access|refresh|token|bearer)$/i;
const SENTENCE_GOES_ON = /^\s+[a-z]+(?![\w~+/=-])/;

function redactAssigned(all: string, head: string, value: string, offset: number, text: string): string {
  const isSentence = SENTENCE_START.test(value) && SENTENCE_GOES_ON.test(text.slice(offset + all.length));
  if (isSentence && MAY_BE_AN_ERROR.test(head)) return all;
  const quote = /^["']/.exec(value)?.[0] ?? '';
  return value === quote + quote ? all : `${head}${quote}${HIDDEN}${quote}`;
}

/** "Basic authentication" is a name, `Basic dTpw` is `u:p`. */
function redactBasic(all: string, scheme: string, blank: string, value: string): string {
  return Buffer.from(value, 'base64').includes(0x3a) ? `${scheme}${blank}${HIDDEN}` : all;
}
