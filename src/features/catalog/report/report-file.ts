/** The YAML file of a report: which commands it runs, with which options. Every error names the line. */
import type { Command, Commands } from '../../../cli/command.ts';
import { type Flag, repeatable } from '../../../cli/flags.ts';
import { didYouMean } from '../../../cli/lookup.ts';
import { parseInput, parsePart } from '../../../cli/parse.ts';
import { SvcError } from '../../../errors.ts';
import { type Path, type Problem, readYaml } from '../../../store/yaml.ts';

export interface ReportFile {
  readonly title: string;
  /** The time zone of the page, and of each section that names no other. */
  readonly tz: string | undefined;
  readonly sections: readonly ReportSection[];
}

export interface ReportSection {
  /** Of the file, from 1. */
  readonly line: number;
  readonly title: string | undefined;
  readonly command: Command;
  /** What its keys are as options. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** Keys of the file. */
const KEYS = ['title', 'tz', 'sections'];
/** Keys of a section that are no options of its command. */
const SECTION_KEYS = ['type', 'title'];
/** Options for a terminal and for other files. */
const NOT_IN_REPORTS = new Set(['svg', 'force', 'width', 'height', 'ascii', 'sparkline']);

export interface ReportParts {
  /** For messages. */
  readonly path: string;
  readonly now: number;
  readonly types: Commands;
  /** Throws for a time zone that does not exist. */
  readonly checkZone: (name: string) => void;
}

export async function parseReport(text: string, { path, now, types, checkZone }: ReportParts): Promise<ReportFile> {
  const { value, problems, problemAt } = await readYaml(text);
  const fail = ({ line }: Problem, message: string, hint?: string): SvcError =>
    new SvcError('invalid_value', `${path}, line ${line}: ${message}`, { hint });
  const [syntax] = problems;
  if (syntax !== undefined) throw fail(syntax, syntax.message);
  const at = (keys: Path, of?: 'key'): Problem => problemAt(keys, '', of);
  /** A failure of the parser of an option, at its line. */
  const attempt = <T>(keys: Path, parse: () => T): T => {
    try {
      return parse();
    } catch (error) {
      throw error instanceof SvcError ? fail(at(keys), error.message, error.hint) : error;
    }
  };
  const checkKeys = (keys: Path, object: object, known: readonly string[], what: string): void => {
    const unknown = Object.keys(object).find((key) => !known.includes(key));
    if (unknown === undefined) return;
    const { hint } = didYouMean(unknown, known);
    throw fail(at([...keys, unknown], 'key'), `${what} has no key ${JSON.stringify(unknown)}`, hint);
  };
  const scalar = (keys: Path, given: unknown): string => {
    if (typeof given === 'string') return given;
    throw fail(at(keys), `${String(keys.at(-1))} is not a text or a number`);
  };

  if (!isObject(value)) throw fail(at([]), 'a report is a mapping with sections', EXAMPLE);
  checkKeys([], value, KEYS, 'a report');
  const { title = 'Prices', tz, sections } = value;
  if (tz !== undefined) attempt(['tz'], () => checkZone(scalar(['tz'], tz)));
  if (!Array.isArray(sections) || sections.length === 0) {
    throw fail(at(['sections']), 'sections is not a list of sections', EXAMPLE);
  }
  const parsed: ReportSection[] = [];
  for (const [index, section] of sections.entries()) {
    const keys: Path = ['sections', index];
    const type: unknown = isObject(section) ? section['type'] : undefined;
    const names = Object.keys(types);
    const load = typeof type === 'string' && Object.hasOwn(types, type) ? types[type] : undefined;
    if (!isObject(section) || load === undefined) {
      throw fail(at([...keys, 'type']), 'type is not a command that a section can show', `one of: ${names.join(', ')}`);
    }
    const command = await load();
    const flags = Object.entries(command.flags ?? {}).filter(([name]) => !NOT_IN_REPORTS.has(name));
    const args = Object.keys(command.args ?? {});
    const known = [...SECTION_KEYS, ...args, ...flags.map(([name]) => name)];
    checkKeys(keys, section, known, `a section of type ${String(type)}`);
    const operands: string[] = [];
    const options: string[] = [];
    for (const [name, flag] of flags) {
      const given = section[name] ?? (name === 'tz' ? tz : undefined);
      if (given === undefined) continue;
      const tokens = optionTokens(name, flag, given, (one) => scalar([...keys, name], one));
      attempt([...keys, name], () => parsePart(command, tokens, now));
      options.push(...tokens);
    }
    for (const name of args) {
      if (section[name] === undefined) continue;
      operands.push(...[section[name]].flat().map((one) => scalar([...keys, name], one)));
    }
    const { input } = attempt(keys, () => parseInput(command, [...options, '--', ...operands], now));
    const ownTitle = section['title'] === undefined ? undefined : scalar([...keys, 'title'], section['title']);
    parsed.push({ line: at(keys).line, title: ownTitle, command, input });
  }
  return { title: scalar(['title'], title), tz: tz as string | undefined, sections: parsed };
}

const EXAMPLE = 'such as: sections: [{type: history, id: <id>}]';

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function optionTokens(name: string, flag: Flag, given: unknown, scalar: (one: unknown) => string): readonly string[] {
  if (flag.type === 'boolean') return given === true ? [`--${name}`] : [];
  const values = repeatable(flag) ? [given].flat() : [given];
  return values.map((one) => `--${name}=${scalar(one)}`);
}
