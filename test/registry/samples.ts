/** How each command is called in these tests: the fewest arguments with which it works, and calls that go another way. */

export interface Sample {
  /** After the command's words, without `--yes`. */
  readonly args: readonly string[];
  readonly stdin?: string;
  /** Nothing at all is as good. */
  readonly mayBeEmpty?: true;
  /** The exit status if standard input is empty: an empty selection is not found. */
  readonly whenEmpty?: 5;
  /** A terminal prompts for it instead. */
  readonly typed?: true;
  /** Its requests carry no credential: it is about to get one. */
  readonly anonymous?: true;
  /** It uses a stored login, not a token of the environment. */
  readonly signedIn?: true;
  /** It may ask its service, and has nothing to ask it here. */
  readonly silent?: true;
  /** Why it cannot fail as others do: how it does is tested with the command. */
  readonly apart?: string;
  /** What it reads once it has written are looks at what became of that, and one that fails ends nothing. */
  readonly looks?: true;
  /** It asks before it writes, as `destroy` and `money` commands always do. */
  readonly asks?: true;
  /** It is confirmed by typing this. */
  readonly word?: string;
  /** Its request follows from its arguments: a dry run connects to nothing. */
  readonly follows?: true;
  /** Its request is never repeated, though it is a read. */
  readonly once?: true;
  /** It takes back what it has done, which a dry run cannot show. */
  readonly undoes?: true;
  /** What it prints is text, or nothing, whatever the command's output is otherwise. */
  readonly prints?: 'text' | 'nothing';
  /** The exit status it ends with when all goes well: what it finds there is bad. */
  readonly exits?: 1 | 8;
  /** What it changes is on this machine alone: a dry run has no request to show. */
  readonly local?: true;
  /** It prints its options. */
  readonly mirrors?: true;
  /** It draws on a terminal what changes; in a pipe it prints rows, and of the formats ndjson alone. */
  readonly draws?: true;
  /** It is a full screen at a terminal and prints nothing: what it does is tested with the command. */
  readonly screen?: true;
  /** A sandbox runs. */
  readonly sandbox?: true;
  /** It runs until it is stopped. */
  readonly runsOn?: true;
  /** It prints what comes to it, and nothing comes here: a person sees no line. */
  readonly waits?: true;
  /** It needs a terminal, and this environment. */
  readonly terminal?: Readonly<Record<string, string>>;
}

/** Stands for the address of a receiver. */
export const RECEIVER = 'http://receiver.test/hook';

const SILENCE = '2f1a4c0e-1111-4222-8333-444455556666';
const EXPIRED = '77c09d3b-1111-4222-8333-444455556666';
const END = '2026-01-15T14:00:00Z';
const ONE_SILENCE = {
  matchers: [{ name: 'alertname', value: 'NodeDown', isRegex: false, isEqual: true }],
  startsAt: '2026-01-15T11:00:00Z',
  endsAt: END,
  createdBy: 'ann',
  comment: 'from a file',
};

const ROUTES = 'route: { receiver: pager }\nreceivers: [{ name: pager }]\n';

const PRODUCT = '5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10';

const RECORDED = `${JSON.stringify({
  v: 1,
  received_at: '2026-01-15T11:59:59.000Z',
  headers: [
    ['Content-Type', 'application/json'],
    ['X-Service-Timestamp', String(Date.UTC(2026, 0, 15, 11, 59, 59) / 1000)],
    ['X-Service-Signature', `sha256=${'1'.repeat(64)}`],
  ],
  body_b64: 'eyJpZCI6ImV2dF8xIiwidHlwZSI6IndlYmhvb2sucGluZyJ9',
  status: 'valid',
  event_id: 'evt_1',
  event_type: 'webhook.ping',
})}\n`;

/** Signed at the time of these tests, with the secret they have in the environment. */
const SIGNED_REQUEST = [
  'POST /hook HTTP/1.1',
  'X-Service-Event: webhook.ping',
  'X-Service-Timestamp: 1768478400',
  'X-Service-Signature: sha256=e9ffc639ac22851a0c7e762a3a56b6990a54b11884853f8c4e454c723c879542',
  'Content-Length: 82',
  '',
  '{"id":"evt_1","type":"webhook.ping","created_at":"2026-01-15T12:00:00Z","data":{}}',
].join('\r\n');

/** By command id. A command that is not here is called as its first example calls it. */
export const SAMPLES: Readonly<Record<string, readonly [Sample, ...Sample[]]>> = {
  'alerts list': [
    { args: [] },
    { args: ['-a'] },
    { args: ['alertname=NodeDown', 'team=~"db|web"', '--older-than', '1s', '--limit', '5'] },
    { args: ['-a', '--group-by', 'team,severity'] },
    { args: ['-a', '--group-by', 'instance'] },
  ],
  'alerts triage': [{ args: [], terminal: {}, screen: true }],
  'alerts get': [{ args: ['1a58c20e'] }, { args: ['77c0'] }],
  'alerts check': [{ args: ['team=db', '--expect'] }, { args: ['--max', '5', '--older-than', '1s'] }],
  'alerts resolve': [{ args: ['1a58c20e'] }, { args: ['NodeDown', 'team=db'], asks: true }],
  'alerts groups': [{ args: ['-a'] }],
  'alerts routes': [{ args: [] }, { args: ['--config-file', '-'], stdin: ROUTES, silent: true }],
  'alerts route': [
    { args: ['team=db'] },
    { args: ['team=db', '--config-file', '-', '--expect', 'pager'], stdin: ROUTES, silent: true },
  ],
  'alerts config check': [{ args: ['-'], stdin: 'route: {}', exits: 1, mayBeEmpty: true }],
  'alerts create': [
    { args: ['BackupFailed', '--for', '2h'], follows: true },
    { args: ['BackupFailed', 'host=db-1', '--end', '2h'], follows: true },
    { args: ['-f', '-'], stdin: '[{"labels":{"alertname":"BackupFailed"}}]', follows: true },
  ],
  'alerts receivers': [{ args: [] }],
  'alerts status': [{ args: [] }, { args: ['--config'], prints: 'text' }],
  'silences list': [
    { args: [] },
    { args: ['-a'] },
    { args: ['--created-by', 'ann', '--within', '30d'] },
    { args: ['--for-alert', '77c0'] },
  ],
  'silences get': [{ args: [SILENCE] }, { args: ['2f1a'] }],
  'silences check': [{ args: ['--expiring-within', '2h'], exits: 1 }],
  'silences create': [
    { args: ['NodeDown', '--comment', 'disk swap'], follows: true },
    { args: ['NodeDown', '-c', 'all week', '--for', '7d'], asks: true, follows: true },
    { args: ['--from-alert', '1a58', '--drop', 'instance', '-c', 'its kind', '--max-alerts', '5'] },
    { args: ['NodeDown', '-c', 'disk swap', '--for', '2h', '--ensure'] },
  ],
  'silences ack': [{ args: ['1a58c20e'] }],
  'silences run': [{ args: ['NodeDown', '--', 'true'], prints: 'nothing', follows: true, undoes: true }],
  'silences update': [{ args: [SILENCE, '-c', 'new reason'] }, { args: ['2f1a', '--matcher', 'alertname=NodeUp'] }],
  'silences extend': [
    { args: [SILENCE, '--for', '1h'] },
    { args: ['2f1a', '--until', END] },
    { args: [EXPIRED, '--for', '2h'] },
  ],
  'silences expire': [
    { args: [SILENCE], apart: 'a state that cannot be read does not keep a silence from being expired' },
    { args: ['2f1a'] },
    { args: ['--created-by', 'ann'] },
  ],
  'silences export': [{ args: [] }],
  'silences import': [{ args: [], stdin: JSON.stringify(ONE_SILENCE) }],
  'webhooks list': [{ args: [] }, { args: ['--status', 'active', '--limit', '1'] }],
  'webhooks get': [{ args: ['ep_1'] }, { args: ['ep_2'] }],
  'webhooks create': [
    { args: ['https://192.0.2.7/new', '--event', 'summary.completed', '--show-secret'], follows: true },
  ],
  'webhooks update': [
    { args: ['ep_1', '--url', 'https://192.0.2.7/new'] },
    { args: ['ep_2', '--clear-events'], asks: true },
  ],
  'webhooks delete': [{ args: ['ep_1'] }, { args: ['--disabled'] }],
  'webhooks rotate': [{ args: ['ep_1', '--store'], undoes: true, looks: true }],
  'webhooks test': [{ args: ['ep_1'] }],
  'webhooks deliveries': [
    { args: ['ep_1'] },
    { args: ['ep_1', '--all', '--status', 'delivered', '--since', '7d', '--limit', '5'] },
  ],
  'webhooks doctor': [{ args: [], exits: 1, local: true, apart: 'what fails is what it finds: a row, and exit 1' }],
  'webhooks samples': [{ args: [] }, { args: ['--event', 'summary.completed', '--limit', '1'] }],
  'webhooks send': [{ args: ['summary.completed', '--to', RECEIVER, '--repeat', '2'] }, { args: ['--to', RECEIVER] }],
  'webhooks replay': [
    { args: ['-', '--to', RECEIVER], stdin: RECORDED },
    { args: ['-', '--to', RECEIVER, '--resign'], stdin: RECORDED + RECORDED },
  ],
  'webhooks verify': [
    { args: [], stdin: SIGNED_REQUEST },
    { args: ['--now', '1768478405', '--format', 'http', '-'], stdin: `${SIGNED_REQUEST}\n` },
  ],
  'webhooks check-receiver': [{ args: [RECEIVER, '--only', 'valid-ping', '--only', 'stale-timestamp'], exits: 1 }],
  'webhooks sign': [
    { args: ['package.json', '--timestamp', '1767225600'], prints: 'text' },
    { args: ['package.json', '--as', 'signature', '--timestamp', '1767225600'], prints: 'text' },
  ],
  'webhooks listen': [
    {
      args: ['--secret-env', 'SVC_WEBHOOKS_TOKEN', '--port', '0'],
      runsOn: true,
      waits: true,
      silent: true,
      local: true,
    },
  ],
  'webhooks inspect': [
    { args: ['-'], stdin: '{"id":"evt_1","type":"webhook.ping","created_at":"2026-01-01T00:00:00Z","data":{}}' },
  ],
  'webhooks secrets list': [{ args: [] }],
  'webhooks secrets import': [{ args: ['ep_2'], stdin: 'whsec_piped', typed: true }],
  'webhooks secrets export': [{ args: ['ep_1', '--force'] }],
  'webhooks secrets delete': [{ args: ['ep_1'] }],
  'catalog products list': [
    { args: [] },
    { args: ['--search', 'milk', '--promo', 'true', '--price-max', '99.5', '--order', 'price_asc', '--limit', '5'] },
    { args: ['--all'] },
  ],
  'catalog products get': [{ args: [PRODUCT] }],
  'catalog products sources': [{ args: [PRODUCT] }],
  'catalog products snapshots': [{ args: [PRODUCT, '--store', 'fixprice', '--all'] }],
  'catalog products dynamics': [
    { args: [PRODUCT, '--store', 'fixprice', '--source', 'receiver:run-1:1', '--since', '-2d'] },
  ],
  'catalog products count': [{ args: [] }, { args: ['--store', 'fixprice', '--region', 'moscow'] }],
  'catalog products common': [{ args: ['--scope', 'stores', '--store', 'fixprice'] }],
  'catalog history': [
    { args: [PRODUCT] },
    { args: [PRODUCT, '--store', 'fixprice', '--since', '2025-12-01', '--height', '5'] },
    { args: [PRODUCT, '--svg', '-'], prints: 'text' },
  ],
  'catalog compare': [{ args: [PRODUCT] }],
  'catalog movers': [{ args: [PRODUCT, '--since', '3d'] }, { args: [PRODUCT, '--since', '3d', '--by', 'store'] }],
  'catalog basket': [{ args: ['-'], stdin: `${PRODUCT} 2\n`, whenEmpty: 5 }],
  'catalog check': [{ args: [PRODUCT, '--below', '1000'] }, { args: [PRODUCT, '--above', '0', '--all'] }],
  'catalog categories list': [
    { args: [] },
    { args: ['--store', 'fixprice', '--tree'] },
    { args: ['--depth', '0', '--search', 'milk', '--limit', '101'] },
  ],
  'catalog categories get': [{ args: ['1'] }],
  'catalog health': [{ args: [], once: true }],
  'oauth login': [
    { args: ['--token-stdin'], stdin: 'MARKER-f00dfacecafe-0123456789', typed: true },
    { args: ['--token-stdin', '--expires-in-days', '90'], stdin: 'MARKER-f00dfacecafe-0123456789', typed: true },
  ],
  'oauth clients register': [
    { args: ['--redirect-uri', 'https://app.example.com/callback'], anonymous: true },
    {
      args: ['--auth-method', 'client_secret_post', '--redirect-uri', 'https://app.example.com/cb', '--show-secret'],
      anonymous: true,
    },
  ],
  'oauth discovery': [{ args: [] }],
  'oauth status': [
    { args: [], signedIn: true, silent: true },
    { args: ['--check'], signedIn: true, apart: 'a refusal is its answer' },
  ],
  'oauth token': [{ args: ['--force'], signedIn: true, silent: true }],
  'oauth refresh': [{ args: [], signedIn: true, apart: 'its POST changes nothing that counts, and is sent twice' }],
  'oauth logout': [{ args: [], signedIn: true, silent: true }],
  'oauth clients list': [{ args: [], signedIn: true }],
  'oauth clients forget': [{ args: ['client-2'], signedIn: true }],
  'trade accounts list': [{ args: [] }],
  'trade positions list': [
    { args: [] },
    { args: ['--closed', '--symbol', 'eurusd'] },
    { args: ['--account', '654061'] },
  ],
  'trade positions get': [{ args: ['170162801'] }, { args: ['1', '--closed'] }],
  'trade orders list': [{ args: ['--type', 'le'] }],
  'trade orders get': [{ args: ['390285837'] }],
  'trade offers list': [{ args: [] }],
  'trade quote': [{ args: ['eurusd'] }],
  'trade stream': [{ args: ['EUR/USD', '--until', '1'] }, { args: ['Order', '--until', '1'] }],
  'trade watch': [{ args: ['orders', '--until', '1'], draws: true }],
  'trade candles': [{ args: ['EUR/USD', 'H1', '--last', '2'] }],
  'trade model': [{ args: ['Account'] }],
  'trade symbols list': [{ args: [] }],
  'trade symbols get': [{ args: ['EUR/USD'] }],
  'trade buy': [{ args: ['EUR/USD', '5', '--account', '654061', '--stop', '40pips'] }],
  'trade sell': [{ args: ['EUR/USD', '5', '--account', '654061'] }],
  'trade entry buy': [{ args: ['EUR/USD', '5', '--rate', '1.15', '--account', '654061'] }],
  'trade entry sell': [{ args: ['EUR/USD', '5', '--rate', '1.15', '--account', '654061'] }],
  'trade close': [
    { args: ['170162801'] },
    { args: ['--symbol', 'EUR/USD', '--account', '654061'] },
    { args: ['--everything', '--account', '654061'], word: '654061' },
  ],
  'trade positions update': [{ args: ['170162801', '--stop', '40pips'] }],
  'trade orders update': [{ args: ['390285837', '--rate', '1.15'] }, { args: ['390285837', '--stop', '40pips'] }],
  'trade orders cancel': [{ args: ['390285837'] }, { args: ['--all', '--symbol', 'eurusd', '--account', '654061'] }],
  'trade hours': [{ args: [] }],
  'trade limits': [{ args: [], silent: true }],
  'trade journal': [
    { args: [], silent: true },
    { args: ['--open'], silent: true },
  ],
  'trade journal settle': [
    { args: [], exits: 8, apart: 'a table that cannot be read leaves the others to be read, and the outcome unknown' },
  ],
  'trade login': [{ args: ['--token-stdin'], stdin: 'MARKER-f00dfacecafe-0123456789', typed: true }],
  'trade logout': [{ args: [], silent: true }],
  'config list': [
    { args: [], mirrors: true },
    { args: ['--all', '--show-origin'], mirrors: true },
  ],
  'config get': [{ args: ['timeout'] }],
  'config set': [{ args: ['timeout', '10s'] }],
  'config unset': [{ args: ['timeout'] }],
  'config path': [{ args: [] }],
  'config import': [{ args: ['amtool', '--profile', 'imported'] }],
  'config edit': [{ args: [], terminal: { EDITOR: 'true' } }],
  'config profiles': [{ args: [] }],
  'config use': [{ args: ['other'] }],
  doctor: [{ args: ['--offline', 'trade'], exits: 1 }],
  api: [
    { args: ['catalog', 'GET', '/healthz', '--base-url', RECEIVER] },
    { args: ['alerts', 'POST', '/silences', '-f', 'comment=x', '--base-url', RECEIVER], asks: true },
  ],
  'completion bash': [{ args: [] }],
  'completion zsh': [{ args: [] }],
  'completion fish': [{ args: [] }],
  'completion powershell': [{ args: [] }],
  'sandbox start': [{ args: ['--empty'], runsOn: true }],
  'sandbox run': [{ args: ['--', 'true'], prints: 'nothing' }],
  'sandbox status': [{ args: [], sandbox: true }],
};
