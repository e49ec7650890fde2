import { dirname, resolve } from 'node:path';
import { type Commands, type RunContext, recordCommand } from '../../../cli/command.ts';
import { FILE } from '../../../cli/flags.ts';
import { zoneOf } from '../../../cli/time.ts';
import { type ErrorCode, SvcError } from '../../../errors.ts';
import { Plan } from '../../../http/endpoint.ts';
import { xmlText } from '../../../output/escape.ts';
import { type HtmlStyle, htmlNote, htmlOf } from '../../../output/html.ts';
import type { AnyOutput, RecordOutput } from '../../../output/types.ts';
import { checkNewFile, writeNewFile } from '../../../store/named-files.ts';
import type { SharedResponses } from '../api.ts';
import { TZ_FLAG } from '../lists.ts';
import { type PageSection, reportPage } from '../report/page.ts';
import { parseReport, type ReportSection } from '../report/report-file.ts';

/**
 * Sections are commands: their keys are its arguments and options, and what is shown is what it returns. These show no prices, or
 * answer with their exit status, or write files.
 */
const NO_SECTIONS = ['check', 'health', 'match', 'export', 'report'];

interface Reported {
  readonly file: string;
  readonly sections: number;
  /** Titles of the sections that could not be read. */
  readonly failed: readonly string[];
}

const REPORTED: RecordOutput<Reported> = {
  kind: 'record',
  columns: [
    { name: 'file', cell: ({ file }) => file },
    { name: 'sections', cell: ({ sections }) => sections },
    { name: 'failed', cell: ({ failed }) => failed },
  ],
  id: ({ file }) => file,
};

export const catalogReport = recordCommand({
  id: 'catalog report',
  summary: 'Write a page with charts and tables of prices',
  description:
    'A YAML file lists the sections; --html names the page, one file without scripts that a phone and a printer can show. If a section fails, the page says why and the exit status is 10; if all fail, no page is written.',
  details: `The file has a title, tz (the time zone of all sections) and sections. Each section has a type (a command of svc catalog: history, compare, movers, basket and so on, but not ${NO_SECTIONS.join(', ')}), a title, and as keys the arguments and options of that command: {type: history, title: Oat drink, id: 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10, from: -90d}. What may be repeated is a list; an option without a value is true. Files that it names, such as file and matches, are relative to the report file. Unknown keys and invalid values are reported with their line before anything is requested.\nSections share what they read: a response is requested once. The page has the charts of svc catalog history --svg, a narrow one for phones too, and follows the light or dark mode of its reader. It names the host of the server.`,
  effect: 'read',
  service: 'catalog',
  args: { file: { help: 'Report file (YAML); - reads standard input', required: true, complete: 'files' } },
  flags: {
    html: { ...FILE, required: true, help: 'Page to write; -: print it' },
    force: { type: 'boolean', help: 'Overwrite an existing page' },
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc catalog report weekly.yaml --html weekly.html', why: 'Write the page of a report' },
    { run: 'svc catalog report weekly.yaml --html /srv/www/prices.html --force -q', why: 'Replace it, as cron does' },
  ],
  output: REPORTED,
  outputOf: ({ html }: { html: string }): AnyOutput => (html === '-' ? { kind: 'text' } : REPORTED),
  async run({ file, html, force }, ctx) {
    const began = ctx.now();
    const text = Buffer.from(await ctx.readInput(file)).toString('utf8');
    const plan = await parseReport(text, {
      path: file,
      now: began,
      types: await sectionTypes(ctx),
      checkZone: TZ_FLAG.check,
    });
    if (html !== '-') checkNewFile({ option: '--html', path: html, force });
    const zone = zoneOf(plan.tz ?? 'local');
    const timeText = (time: string): string => {
      const at = Date.parse(time);
      return Number.isNaN(at) ? time : zone.text(Math.floor(at / 60_000) * 60_000).replace(/T(\d\d:\d\d).*/, ' $1');
    };
    const style = { time: 'iso', now: began, timeText, drawSvg: ctx.drawSvg } as const;
    const shared: SharedResponses = new Map();
    const target = { ...ctx.target, shared };
    const run = sectionRunner({ ...ctx, target, now: () => began }, file, style);
    const sections: PageSection[] = [];
    const failed: { readonly title: string; readonly error: SvcError }[] = [];
    let code: ErrorCode | undefined;
    for (const section of plan.sections) {
      const result = await run(section);
      sections.push(result);
      code ??= result.code;
      if (result.error !== undefined) failed.push({ title: result.title, error: result.error });
    }
    const [first] = failed;
    if (first !== undefined && failed.length === sections.length) throw first.error;
    for (const { title, error } of failed) ctx.warn(`${title}: ${error.message}`);
    if (failed.length > 0) code = 'partly_done';
    const subtitle = `${timeText(new Date(began).toISOString())} (${zone.name}), from ${target.baseUrl.host}`;
    const page = reportPage({ title: plan.title, subtitle, sections });
    if (html === '-') return { value: page, as: { kind: 'text' }, code };
    writeNewFile({ option: '--html', path: html, force }, page, ctx.pid);
    return { value: { file: html, sections: sections.length, failed: failed.map(({ title }) => title) }, code };
  },
});

async function sectionTypes({ groups }: RunContext): Promise<Commands> {
  const { commands = {} } = (await groups.find(({ name }) => name === 'catalog')?.load()) ?? {};
  return Object.fromEntries(Object.entries(commands).filter(([name]) => !NO_SECTIONS.includes(name)));
}

interface SectionResult extends PageSection {
  readonly code: ErrorCode | undefined;
  readonly error: SvcError | undefined;
}

/** Options that do not fit each other: no page is better than one with a hole that stays. */
const OF_THE_FILE: readonly ErrorCode[] = ['usage', 'missing_value', 'invalid_value'];

function sectionRunner(ctx: RunContext, file: string, style: HtmlStyle) {
  return async ({ line, title: ownTitle, command, input }: ReportSection): Promise<SectionResult> => {
    let title = ownTitle ?? command.summary;
    const notes: string[] = [];
    const note = (text: string): void => {
      notes.push(text);
    };
    const own: RunContext = {
      ...ctx,
      interactive: false,
      wants: { ...ctx.wants, table: true, rawJson: false, fields: false, document: false, events: false },
      notice: note,
      warn(text) {
        note(text);
        ctx.warn(`${title}: ${text}`);
      },
      readInput: (path) => ctx.readInput(path === '-' || file === '-' ? path : resolve(dirname(file), path)),
    };
    try {
      const { value, as, footer, code } = await command.run(input, own);
      if (value instanceof Plan) throw new SvcError('internal', `${command.id} planned a request`);
      const rendering = as ?? command.output;
      if (ownTitle === undefined && rendering.kind === 'chart') title = rendering.chart(value).title;
      const html = await htmlOf(value, rendering, { ...style, limit: input['limit'] as number | undefined });
      const below = [resolved(footer), ...notes].filter((text) => text !== undefined);
      return { title, html: [html, ...below.map(htmlNote)].join('\n'), code: resolved(code), error: undefined };
    } catch (error) {
      if (!(error instanceof SvcError) || error.code === 'interrupted' || error.code === 'terminated') throw error;
      if (OF_THE_FILE.includes(error.code) && error.candidates === undefined) {
        throw new SvcError(error.code, `${file}, line ${line}: ${error.message}`, { hint: error.hint, cause: error });
      }
      const html = `<p class="failure">${xmlText(error.message)}</p>`;
      return { title, html: [html, ...notes.map(htmlNote)].join('\n'), code: 'partly_done', error };
    }
  };
}

function resolved<T>(value: T | (() => T) | undefined): T | undefined {
  return typeof value === 'function' ? (value as () => T)() : value;
}
