/** A configuration as a running server prints it. To read it as any YAML takes longer than everything else together. */
import { DEEPEST, isObject } from '../../../json-object.ts';
import { type Matcher, matcher, minorOf, parseMatcherList } from '../matcher.ts';
import type { InhibitRule, RouteConfig, RoutingConfig } from './config.ts';
import { plainScalar } from './yaml.ts';

interface Line {
  readonly indent: number;
  readonly text: string;
}

type Fields = Readonly<Record<string, unknown>>;
type MatchersOf = (line: string) => readonly Matcher[];

class OtherYaml extends Error {}

/** Undefined if it is not printed as expected. The server has checked the values. */
export async function readPrinted(source: string, version: string): Promise<RoutingConfig | undefined> {
  const sections = source.split(/^(?=\w+:)/m);
  // These have lists in brackets.
  const isIntervals = (section: string) => /^(?:mute_)?time_intervals:/.test(section);
  const lines = sections
    .filter((section) => !isIntervals(section))
    .flatMap((section) => withoutIntegrations(section).split('\n'))
    .filter((line) => line !== '')
    .map((line) => shifted(line, 0));
  const matchersOf = (line: string) => parseMatcherList(line, minorOf(version) >= 27) ?? refuse();
  try {
    const { route: tree, receivers, inhibit_rules, templates } = fields(new Reader(lines).all());
    const route = routeOf(tree, matchersOf);
    if (route.receiver === '') return undefined;
    return {
      route,
      receivers: list(receivers).map((receiver) => textOf(fields(receiver)['name']) ?? refuse()),
      timeIntervals: await timeIntervalsOf(sections.filter(isIntervals).join('')),
      inhibitRules: list(inhibit_rules).map((rule) => inhibitRuleOf(rule, matchersOf)),
      templates: list(templates).length,
    };
  } catch (error) {
    if (error instanceof OtherYaml) return undefined;
    throw error;
  }
}

function withoutIntegrations(section: string): string {
  if (!/^(?:global|tracing|receivers):/.test(section)) return section;
  return section.replace(/\n {2}\w+:.*(?:\n(?!-).*)*/g, '\n');
}

async function timeIntervalsOf(sections: string): Promise<RoutingConfig['timeIntervals']> {
  if (sections === '') return new Map();
  const { readRoutingConfig } = await import('./config.ts');
  const read = await readRoutingConfig(`route: { receiver: any }\nreceivers: [{ name: any }]\n${sections}`);
  return read.config?.timeIntervals ?? refuse();
}

function shifted(line: string, by: number): Line {
  let blanks = 0;
  while (line[blanks] === ' ') blanks++;
  return { indent: by + blanks, text: line.slice(blanks) };
}

const isItem = (line: Line | undefined): boolean =>
  line !== undefined && (line.text === '-' || line.text.startsWith('- '));

const KEY = /^([a-zA-Z_]\w*):(?: +(.*))?$/;
const PLAIN = /^(?![\s?:,[\]{}#&*!|>'"%@`]|-(?:\s|$))(?!.*(?:: | #|[:\s]$))\P{Cc}+$/u;

function scalar(text: string): unknown {
  if (text === '[]') return [];
  if (text === '{}') return {};
  if (/^"(?:[^"\\\p{Cc}]|\\[\\"nt])*"$/u.test(text)) return JSON.parse(text);
  if (/^'(?:[^']|'')*'$/.test(text)) return text.slice(1, -1).replaceAll("''", "'");
  return text === '' || PLAIN.test(text) ? plainScalar(text) : refuse();
}

class Reader {
  private at = 0;
  private depth = 0;
  private readonly lines: Line[];

  constructor(lines: Line[]) {
    this.lines = lines;
  }

  all(): unknown {
    const value = this.block(0);
    if (this.at < this.lines.length) refuse();
    return value;
  }

  private block(indent: number): unknown {
    if (++this.depth > DEEPEST) refuse();
    const value = isItem(this.lines[this.at]) ? this.sequence(indent) : this.mapping(indent);
    this.depth--;
    return value;
  }

  private sequence(indent: number): unknown[] {
    const items: unknown[] = [];
    for (let line = this.lines[this.at]; line?.indent === indent && isItem(line); line = this.lines[this.at]) {
      const item = shifted(line.text.slice(1), indent + 1);
      // The item goes on in the lines below that are indented like its first field.
      this.lines[this.at] = item;
      if (isItem(item) || KEY.test(item.text)) items.push(this.block(item.indent));
      else {
        this.at++;
        items.push(scalar(item.text));
      }
    }
    return items;
  }

  private mapping(indent: number): Record<string, unknown> {
    const fields = new Map<string, unknown>();
    for (let line = this.lines[this.at]; line?.indent === indent && !isItem(line); line = this.lines[this.at]) {
      const [, name, value] = KEY.exec(line.text) ?? [];
      if (name === undefined || fields.has(name)) return refuse();
      this.at++;
      const below = this.lines[this.at];
      const hasBlock = below !== undefined && (below.indent > indent || (below.indent === indent && isItem(below)));
      if (hasBlock && value !== undefined) refuse();
      fields.set(name, hasBlock ? this.block(below.indent) : scalar(value ?? ''));
    }
    return Object.fromEntries(fields);
  }
}

const ROUTE_FIELD =
  /^(?:receiver|group_(?:by|wait|interval)|repeat_interval|(?:mute|active)_time_intervals|continue|routes|match(?:_re|ers)?)$/;
const RULE_FIELD = /^(?:name|equal|(?:source|target)_match(?:_re|ers)?)$/;

function routeOf(value: unknown, matchersOf: MatchersOf): RouteConfig {
  const own = fields(value, ROUTE_FIELD);
  const groupBy = texts(own['group_by']);
  return {
    receiver: textOf(own['receiver']) ?? '',
    groupBy: groupBy.length > 0 ? groupBy : undefined,
    groupWait: textOf(own['group_wait']),
    groupInterval: textOf(own['group_interval']),
    repeatInterval: textOf(own['repeat_interval']),
    matchers: matchersIn(own, '', matchersOf),
    continue: own['continue'] === true,
    muteTimeIntervals: texts(own['mute_time_intervals']),
    activeTimeIntervals: texts(own['active_time_intervals']),
    routes: list(own['routes']).map((route) => routeOf(route, matchersOf)),
  };
}

function inhibitRuleOf(value: unknown, matchersOf: MatchersOf): InhibitRule {
  const own = fields(value, RULE_FIELD);
  return {
    source: matchersIn(own, 'source_', matchersOf),
    target: matchersIn(own, 'target_', matchersOf),
    equal: texts(own['equal']),
  };
}

/** The deprecated fields first, as the server has them. */
function matchersIn(of: Fields, prefix: '' | 'source_' | 'target_', matchersOf: MatchersOf): readonly Matcher[] {
  const pairs = (name: string, operator: '=' | '=~') =>
    Object.entries(fields(of[name])).map(([label, value]) => matcher(label, operator, textOf(value) ?? ''));
  return [
    ...pairs(`${prefix}match`, '='),
    ...pairs(`${prefix}match_re`, '=~'),
    ...texts(of[`${prefix}matchers`]).flatMap(matchersOf),
  ];
}

function refuse(): never {
  throw new OtherYaml();
}

function fields(value: unknown = {}, names = /^/): Fields {
  return isObject(value) && Object.keys(value).every((name) => names.test(name)) ? value : refuse();
}

function list(value: unknown = []): readonly unknown[] {
  return Array.isArray(value) ? value : refuse();
}

function textOf(value: unknown): string | undefined {
  return value === undefined || typeof value === 'string' ? value : refuse();
}

function texts(value: unknown): string[] {
  return list(value).map((one) => textOf(one) ?? refuse());
}
