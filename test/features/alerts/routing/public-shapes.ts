/**
 * Configurations in the shapes that people publish: charts, operators, tutorials, teams with their own trees, and what goes wrong in
 * them. Written for this test, none is a copy. `amtool.test.ts` compares what amtool and svc make of each.
 */

const receivers = (...names: readonly string[]) =>
  `receivers: [${names.map((name) => `{ name: ${name} }`).join(', ')}]\n`;
const OPS = receivers('ops');

/** Name and text. */
export const PUBLIC_SHAPES: readonly (readonly [name: string, text: string])[] = [
  // Tutorials and documentation
  ['only a route and a receiver', `route: { receiver: ops }\n${OPS}`],
  [
    'a webhook',
    `route:\n  group_by: ['alertname']\n  group_wait: 30s\n  group_interval: 5m\n  repeat_interval: 1h\n  receiver: web.hook\nreceivers:\n- name: web.hook\n  webhook_configs:\n  - url: http://127.0.0.1:5001/\n    send_resolved: true\ninhibit_rules:\n- source_match: { severity: critical }\n  target_match: { severity: warning }\n  equal: [alertname, dev, instance]\n`,
  ],
  [
    'comments everywhere',
    `# the root\nroute: # default\n  receiver: ops # on call\n  # children\n  routes:\n  # database\n  - receiver: ops\n    matchers:\n    - team="db" # quoted\n# the end\n${OPS}`,
  ],
  // Charts and operators
  [
    'null and Watchdog',
    `global: { resolve_timeout: 5m }\nroute:\n  group_by: [namespace]\n  group_wait: 30s\n  receiver: 'null'\n  routes:\n  - receiver: 'null'\n    matchers:\n    - alertname = "Watchdog"\n${receivers("'null'")}inhibit_rules:\n- source_matchers: [severity = critical]\n  target_matchers: ['severity =~ warning|info']\n  equal: [namespace, alertname]\n- source_matchers: [alertname = InfoInhibitor]\n  target_matchers: [severity = info]\n  equal: [namespace]\n- target_matchers: [alertname = InfoInhibitor]\n`,
  ],
  [
    'a route for each namespace of the operator',
    `route:\n  receiver: ops\n  routes:\n  - receiver: shop/team/slack\n    matchers: ['namespace="shop"']\n    continue: true\n    routes:\n    - { receiver: shop/team/slack, match: { severity: critical }, group_by: [job] }\n  - receiver: pay/team/slack\n    matchers: ['namespace="pay"']\n    continue: true\n${receivers('ops', 'shop/team/slack', 'pay/team/slack')}`,
  ],
  ['quoted keys', `"route":\n  "receiver": "ops"\n  'routes': [{ 'match': { 'a': 'b' } }]\n${OPS}`],
  // Teams
  [
    'severity first, then teams',
    `route:\n  receiver: ops\n  routes:\n  - matchers: [severity="critical"]\n    receiver: pager\n    continue: true\n  - matchers: [team="db"]\n    receiver: db\n  - matchers: ['team=~"web|shop"']\n    receiver: web\n    routes:\n    - matchers: [env!="prod"]\n      receiver: ops\n${receivers('ops', 'pager', 'db', 'web')}`,
  ],
  [
    'four levels with continue',
    `route:\n  receiver: a\n  routes:\n  - match: { l1: x }\n    routes:\n    - match: { l2: x }\n      continue: true\n      receiver: b\n      routes:\n      - match: { l3: x }\n        receiver: c\n        routes: [{ match: { l4: x }, receiver: d }, { match_re: { l4: 'y.*' } }]\n    - match_re: { l2: x|y }\n      receiver: e\n${receivers('a', 'b', 'c', 'd', 'e')}`,
  ],
  [
    'a first route that takes all',
    `route:\n  receiver: ops\n  routes:\n  - receiver: log\n  - match: { team: db }\n    receiver: db\n${receivers('ops', 'log', 'db')}`,
  ],
  [
    'a merge of several',
    `route:\n  receiver: ops\n  routes:\n  - &a { receiver: pager, group_wait: 10s }\n  - &b { match: { x: y }, continue: true }\n  - { <<: [*a, *b], group_wait: 1m }\n${receivers('ops', 'pager')}`,
  ],
  [
    'merged labels',
    `route: { receiver: ops, routes: [&a { receiver: pager, match: { a: x }, match_re: { c: y } }, { <<: *a, match: { b: y }, match_re: { d: z } }] }\n${receivers('ops', 'pager')}`,
  ],
  [
    'a merged label twice',
    `route: { receiver: ops, routes: [&a { match: { a: x } }, { <<: *a, match: { a: y } }] }\n${OPS}`,
  ],
  [
    'two merges, and a null that removes',
    `route: { receiver: ops, routes: [&a { receiver: pager }, &b { matchers: [a=1] }, { <<: *a, <<: *b, group_by: [x] }, { <<: *b, matchers: null }] }\n${receivers('ops', 'pager')}`,
  ],
  [
    'merged children',
    `route: { receiver: ops, routes: [&a { receiver: pager, routes: [{ match: { a: b } }] }, { <<: *a, routes: [{ match: { c: d } }] }] }\n${receivers('ops', 'pager')}`,
  ],
  ['a merge of itself', `route: { receiver: ops, routes: [&a { match: { a: b }, routes: [{ <<: *a }] }] }\n${OPS}`],
  ['a merge of a text', `route: { receiver: ops, routes: [{ <<: ops }] }\n${OPS}`],
  [
    'old and new matchers in one route',
    `route:\n  receiver: ops\n  routes:\n  - match: { a: x }\n    match_re: { b: "y.*" }\n    matchers: ['c!~"z"', 'd != ""']\n    receiver: pager\n${receivers('ops', 'pager')}`,
  ],
  [
    'matchers without quotes',
    `route:\n  receiver: ops\n  routes:\n  - matchers:\n    - severity = critical\n    - team =~ db|web\n    - env!=dev\n    receiver: pager\n${receivers('ops', 'pager')}`,
  ],
  [
    'matchers in one braced text',
    `route:\n  receiver: ops\n  routes:\n  - matchers: ['{severity="critical", team=~"db|web"}']\n    receiver: pager\n  - matchers: ['severity="warning",team="db"']\n    receiver: ops\n${receivers('ops', 'pager')}`,
  ],
  [
    'expressions with classes and flags',
    `route:\n  receiver: ops\n  routes:\n  - matchers: ['job=~"(?i)API-\\\\d{2}"', 'host=~"[a-c]+\\\\.eu"']\n    receiver: pager\n${receivers('ops', 'pager')}`,
  ],
  [
    'labels in UTF-8',
    `route:\n  receiver: ops\n  routes:\n  - matchers: ['"größe in %"="90"', 'équipe=db']\n    receiver: pager\n${receivers('ops', 'pager')}`,
  ],
  [
    'numbers as values',
    `route:\n  receiver: ops\n  routes:\n  - match: { code: 500, ok: true, port: 0x10, f: 1.50, none: }\n    receiver: 7\n${receivers('ops', '7')}`,
  ],
  [
    'booleans as names and values',
    `route: { receiver: ops, routes: [{ match: { a: yes, b: On, c: y, d: "true" }, receiver: yes, continue: on }, { match: { y: n }, matchers: [on=off], receiver: pager }] }\n${receivers('ops', 'yes', 'pager')}`,
  ],
  // Time
  [
    'business hours and holidays',
    `route:\n  receiver: ops\n  routes:\n  - match: { severity: warning }\n    receiver: ops\n    mute_time_intervals: [offhours, holidays]\n  - match: { severity: info }\n    active_time_intervals: [workdays]\ntime_intervals:\n- name: offhours\n  time_intervals:\n  - times: [{ start_time: '00:00', end_time: '09:00' }, { start_time: '17:30', end_time: '24:00' }]\n    weekdays: ['monday:friday']\n    location: Europe/Berlin\n  - weekdays: [saturday, sunday]\n- name: workdays\n  time_intervals: [{ weekdays: ['Monday:Friday'] }]\n- name: holidays\n  time_intervals:\n  - { days_of_month: ['25:26'], months: ['december'], years: ['2025:2030'] }\n  - { days_of_month: ['-1'], months: ['1:3', may] }\n${OPS}`,
  ],
  [
    'the deprecated name of intervals',
    `route:\n  receiver: ops\n  routes: [{ match: { a: b }, mute_time_intervals: [night] }]\nmute_time_intervals:\n- name: night\n  time_intervals: [{ times: [{ start_time: 22:00, end_time: 23:59 }] }]\n${OPS}`,
  ],
  [
    'all durations',
    `route:\n  receiver: ops\n  group_wait: 0s\n  group_interval: 1h30m\n  repeat_interval: 1w\n  routes: [{ match: { a: b }, group_wait: 100ms, repeat_interval: 1d12h }]\n${OPS}`,
  ],
  // Newer
  [
    'named inhibition rules',
    `route: { receiver: ops }\ninhibit_rules: [{ name: by severity, source_matchers: [a=b], target_matchers: [a=c] }]\n${OPS}`,
  ],
  ['labels of a route', `route: { receiver: ops, labels: { owner: sre } }\n${OPS}`],
  ['labels of a receiver', `route: { receiver: ops }\nreceivers: [{ name: ops, labels: { owner: sre } }]\n`],
  // What goes wrong
  ['an unknown receiver', `route: { receiver: nope }\n${OPS}`],
  ['no receiver at the root', `route: { routes: [{ match: { a: b }, receiver: ops }] }\n${OPS}`],
  ['no route', OPS],
  ['an empty file', ''],
  ['no receivers', 'route: { receiver: ops }\n'],
  ['a text at the top', 'route\n'],
  ['matchers at the root', `route: { receiver: ops, matchers: [a=b] }\n${OPS}`],
  ['a receiver twice', `route: { receiver: ops }\n${receivers('ops', 'ops')}`],
  ['an interval twice', `route: { receiver: ops }\ntime_intervals: [{ name: x }, { name: x }]\n${OPS}`],
  ['an unknown interval', `route: { receiver: ops, routes: [{ mute_time_intervals: [x] }] }\n${OPS}`],
  ['an interval without a name', `route: { receiver: ops }\ntime_intervals: [{ time_intervals: [] }]\n${OPS}`],
  ['a mistyped field of a route', `route: { receiver: ops, group_weight: 1s }\n${OPS}`],
  ['a duration with a fraction', `route: { receiver: ops, group_wait: 1.5h }\n${OPS}`],
  ['no repetition', `route: { receiver: ops, repeat_interval: 0s }\n${OPS}`],
  ['a label twice in group_by', `route: { receiver: ops, group_by: [a, a] }\n${OPS}`],
  ['group_by with everything and a label', `route: { receiver: ops, group_by: ['...', a] }\n${OPS}`],
  ['an empty label in group_by', `route: { receiver: ops, group_by: [''] }\n${OPS}`],
  ['matchers as a text', `route: { receiver: ops, routes: [{ matchers: 'a="b"' }] }\n${OPS}`],
  ['a matcher without a value', `route: { receiver: ops, routes: [{ matchers: ['a='] }] }\n${OPS}`],
  ['a matcher with two equals signs', `route: { receiver: ops, routes: [{ matchers: ['a==b'] }] }\n${OPS}`],
  ['an expression with look-ahead', `route: { receiver: ops, routes: [{ matchers: ['a=~"(?!x).*"'] }] }\n${OPS}`],
  ['an open expression', `route: { receiver: ops, routes: [{ match_re: { a: '(' } }] }\n${OPS}`],
  ['a label name with a dash', `route: { receiver: ops, routes: [{ match: { a-b: c } }] }\n${OPS}`],
  ['a colon in a label name', `route: { receiver: ops, routes: [{ matchers: ['a:b="c"'] }] }\n${OPS}`],
  ['null in lists', `route: { receiver: ops, routes: [null, { match: { a: b } }] }\n${OPS}`],
  [
    'equal as a text',
    `route: { receiver: ops }\ninhibit_rules: [{ source_match: { a: b }, target_match: { a: c }, equal: x }]\n${OPS}`,
  ],
  ['continue as a text', `route: { receiver: ops, routes: [{ match: { a: b }, continue: 'true' }] }\n${OPS}`],
  ['a field twice', `route: { receiver: ops, receiver: ops }\n${OPS}`],
  ['a boolean name twice', `route: { receiver: ops, routes: [{ match: { yes: a, "yes": b } }] }\n${OPS}`],
  ['an empty name twice', `route: { receiver: ops, routes: [{ match: { ? : a, '': b } }] }\n${OPS}`],
  ['a tab as indentation', `route:\n\treceiver: ops\n${OPS}`],
  ['an unknown alias', `route: { receiver: *nope }\n${OPS}`],
  ['templates as a text', `templates: '*.tmpl'\nroute: { receiver: ops }\n${OPS}`],
  [
    'an end before the start',
    `route: { receiver: ops }\ntime_intervals: [{ name: x, time_intervals: [{ times: [{ start_time: '18:00', end_time: '08:00' }] }] }]\n${OPS}`,
  ],
  [
    'a week that begins on Saturday',
    `route: { receiver: ops }\ntime_intervals: [{ name: x, time_intervals: [{ weekdays: ['saturday:sunday'] }] }]\n${OPS}`,
  ],
  [
    'an unknown zone',
    `route: { receiver: ops }\ntime_intervals: [{ name: x, time_intervals: [{ location: Berlin }] }]\n${OPS}`,
  ],
];
