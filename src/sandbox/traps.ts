/** The traps: faults and surprises of the real services, which tests and users switch on. */

export const TRAPS = {
  alerts: {},
  webhooks: {
    'lost-create': 'a create is carried out, and no response comes',
    'created-but-503': 'a create is carried out, and answered with 503',
    'failed-create': 'a create is answered with 503, and not carried out',
    'lost-update': 'an update is carried out, and no response comes',
    'lost-delete': 'a delete is carried out, and no response comes',
    'lost-test': 'a test is queued, and no response comes',
    'rate-429': 'a create is answered with 429 although the quota is not used up',
    'update-clears-events': 'an update clears the events, whatever it contains',
    'other-editor': 'right after an update, somebody else adds an event type',
    'delete-not-ok': 'a delete is answered with ok:false',
    'test-not-queued': 'a test is answered with queued:false',
    'no-log-item': 'a test is queued, and never delivered or logged',
    'disabled-mid-wait': 'a test is queued, and the endpoint then disabled',
    'ping-needs-listing': 'only endpoints that list webhook.ping receive it',
    'ignored-page': 'the delivery log returns its first page for every page',
    'shifting-pages': 'the delivery log grows with every page that is read',
    'web-by-default': 'a client that does not register as native may not use an http redirect',
    'one-method': 'clients may authenticate by client_secret_post only',
    'token-500': 'the token endpoint answers with 500',
    'lost-refresh': 'a refresh is carried out, and no response comes',
    'slow-refresh': 'a refresh is carried out, and answered after 10 s (divided by --fast)',
    'early-end': 'access tokens expire after a minute (divided by --fast), whatever expires_in says',
    'no-lifetime': 'token responses have no expires_in',
    'hostile-text': 'every text but the secret contains escape sequences',
  },
  catalog: {
    'database-down': 'the health check answers with 503 and the text of the database, everything else with a plain 500',
    'shifting-catalog': 'a row moves to the front of its list with every page, as when it is observed again',
  },
  trade: {
    'bad-token': 'every token is refused',
    'sticky-nodes': 'a request without the cookie of its connection reaches another node, which does not know it',
    'ora-20301': 'tables with a call limit are refused as called too often, with their command number',
    'accounts-path-404': 'the path /trading/get_model/Accounts does not exist',
    'hostile-gateway': 'every text but ids and times contains escape sequences',
    'market-closed': 'no price moves, nothing is traded, and orders at market are accepted and wait',
    'partial-fills':
      'an order is filled in three parts, each a separate trade, and its pushed rows have the amount of one part',
    'fok-killed':
      'orders with FOK or IOC are accepted and then not filled; with partial-fills, the last part of an IOC is not',
    'push-before-answer': 'the results of an order are pushed before the order is answered',
    'lost-order-answer': 'an order is carried out, and the connection is cut instead of a response',
    'order-500': 'an order is answered with 500, and not carried out',
    'order-500-applied': 'an order is answered with 500, and carried out',
    'executed-with-error': 'an order is carried out, and answered as executed with an error beside it',
    'no-push': 'nothing is ever pushed',
  },
} as const;

export type WebhooksTrap = keyof typeof TRAPS.webhooks;
export type CatalogTrap = keyof typeof TRAPS.catalog;
export type TradeTrap = keyof typeof TRAPS.trade;
export type SandboxTrap = WebhooksTrap | CatalogTrap | TradeTrap;

/** The one https address that clients of the recording service may register (doc 2 §5). */
export const ALLOW_LISTED = 'https://app.example.com/callback';

/** What must never reach a terminal. */
export const HOSTILE = ' \u001b[31m\u202e\u009b2J\u0007\r\n3 fake row';

/** Appends the hostile text to every text, also within JSON in a text; not in exempt fields. */
export function hostile(value: unknown, exempt: RegExp, name = ''): unknown {
  if (typeof value === 'string') {
    if (value === '' || exempt.test(name)) return value;
    return value.startsWith('{') ? JSON.stringify(hostile(JSON.parse(value), exempt)) : value + HOSTILE;
  }
  if (Array.isArray(value)) return value.map((item) => hostile(item, exempt, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hostile(inner, exempt, key)]));
}

/** The reverse, for what clients send back. */
export function withoutHostile(text: string): string {
  return text.endsWith(HOSTILE) ? text.slice(0, -HOSTILE.length) : text;
}
