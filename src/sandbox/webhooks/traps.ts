/** The ways in which a real service surprises its clients, each a switch: for tests, and for trying a script out. */

export const TRAPS = {
  'lost-create': 'a create is carried out, and no answer comes',
  'created-but-503': 'a create is carried out, and answered 503',
  'failed-create': 'a create is answered 503, and not carried out',
  'lost-update': 'an update is carried out, and no answer comes',
  'lost-delete': 'a delete is carried out, and no answer comes',
  'lost-test': 'a test is queued, and no answer comes',
  'rate-429': 'a create is answered 429 although the quota is not used up',
  'update-clears-events': 'an update clears the events, whatever it says',
  'other-editor': 'right after an update somebody else adds an event type',
  'delete-not-ok': 'a delete is answered ok:false',
  'test-not-queued': 'a test is answered queued:false',
  'no-log-item': 'a test is queued, and nothing ever comes of it',
  'disabled-mid-wait': 'a test is queued, and the endpoint then disabled',
  'ping-needs-listing': 'only endpoints that list webhook.ping get one',
  'ignored-page': 'the delivery log answers its first page for every page',
  'shifting-pages': 'a delivery joins the log with every page that is read',
  'other-issuer': 'the metadata of signing in name another issuer',
  'other-method': 'a client is registered with another way to prove itself than asked for',
  'secret-for-public': 'a client that asked for none is given a secret',
  'client-forgotten': 'a client is not known any more once somebody has signed in with it',
  'web-by-default': 'a client that does not say that it is native may have no http redirect',
  'one-method': 'clients prove themselves by client_secret_post alone',
  'basic-alone': 'a client_id in the body beside an Authorization header is refused',
  'basic-plain': 'the parts of an Authorization header are not form-decoded, and secrets have ~ % + /',
  'other-state': 'the browser comes back with another state',
  'token-500': 'the token endpoint answers 500',
  'lost-refresh': 'a refresh is carried out, and no answer comes',
  'dropped-refresh': 'a refresh is not carried out, and no answer comes',
  'slow-refresh': 'a refresh is carried out, and answered after 10 s (divided by --fast)',
  'kept-refresh-token': 'a refresh gives no new refresh token: the old one stays good',
  'early-end': 'access tokens end after a minute (divided by --fast), whatever is said of them',
  'no-lifetime': 'nothing is said of how long an access token lasts',
  'hostile-text': 'every text but the secret holds escape sequences',
} as const satisfies Readonly<Record<string, string>>;

export type Trap = keyof typeof TRAPS;

/** What no terminal may ever be sent. */
export const HOSTILE = ' \u001b[31m\u202e\u009b2J\u0007\r\n3 fake row';

/** Every text within a value with the hostile one at its end; the secret is what it was, as it must work. */
export function hostile(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return name === 'secret' ? value : value + HOSTILE;
  if (Array.isArray(value)) return value.map((item) => hostile(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hostile(inner, key)]));
}

/** The reverse, for what clients send back. */
export function withoutHostile(text: string): string {
  return text.endsWith(HOSTILE) ? text.slice(0, -HOSTILE.length) : text;
}

/** The one https address that the sandbox sends browsers back to (doc 2 §5). */
export const ALLOW_LISTED = 'https://app.example.com/callback';
