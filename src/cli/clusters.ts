/** One command on several profiles: each runs on its own server, and all make one answer. */
import type { Paths } from '../context.ts';
import { SvcError } from '../errors.ts';
import { Plan } from '../http/endpoint.ts';
import type { ServiceName } from '../http/target.ts';
import type { AnyOutput, Cell, ListOutput, RecordOutput, Rendering } from '../output/types.ts';
import { originOf, profileNames, readSettingsFile, type Settings, settingsPath } from '../store/settings.ts';
import { bulk } from './bulk.ts';
import type { Answer, ClusterRow, Command, RunContext } from './command.ts';
import type { GlobalInput } from './common-flags.ts';
import { allFailed, commonCode, listOfParts, partialCode, rowsOfParts, verdictCode } from './parts.ts';
import { undoTexts } from './run-context.ts';

/** A cluster is called by the name of its profile. */
interface Cluster {
  readonly name: string;
  readonly ctx: RunContext;
}

type Rows = readonly ClusterRow[];

interface Profile {
  readonly name: string;
  readonly settings: Settings;
}

type Named = Pick<GlobalInput, 'profile' | 'allProfiles' | 'baseUrl'>;

/** The names of the profiles that the command line names. */
export function profilesOf({ profile, allProfiles, baseUrl }: Named, paths: Paths): readonly string[] {
  const given = [profile ?? []].flat();
  if (allProfiles && given.length > 0)
    throw new SvcError('usage', '--profile and --all-profiles cannot be used together');
  if (baseUrl !== undefined) throw new SvcError('usage', '--base-url names one server, and there are several profiles');
  const twice = given.find((name, index) => given.indexOf(name) !== index);
  if (twice !== undefined) throw new SvcError('usage', `--profile ${twice} is given twice`);
  return allProfiles ? profileNames(readSettingsFile(settingsPath(paths)).document) : given;
}

/** Those with an address. Throws if a named one has none: two such would be the same server. */
export function withAddresses(
  profiles: readonly Profile[],
  { allProfiles }: Named,
  service: ServiceName | undefined,
): readonly Profile[] {
  const key = `${service}.url`;
  const usable = profiles.filter(({ settings }) => originOf(key, settings, 'profile') !== undefined);
  if (usable.length > 0 && (allProfiles || usable.length === profiles.length)) return usable;
  const without = allProfiles ? undefined : profiles.find((one) => !usable.includes(one));
  const message = without === undefined ? `no profile has ${key}` : `profile ${without.name} has no ${key}`;
  throw new SvcError('config_invalid', message, {
    hint: `svc config set ${key} <url> --profile ${without?.name ?? '<name>'}`,
  });
}

/** Reads run at once, changes one after the other, because each may ask. */
export async function runOnClusters(
  command: Command,
  input: unknown,
  clusters: readonly Cluster[],
): Promise<Answer<unknown>> {
  const most = command.effect === 'read' ? clusters.length : 1;
  const outcome = await bulk(clusters, most, async ({ name, ctx }) => {
    const answer = await command.run(input, nameContext(name, ctx));
    if (answer.value instanceof Plan) return answer.value;
    return { name, ctx, answer, rows: await rowsOf(name, answer.value) };
  });
  if (outcome instanceof Plan) return { value: outcome };
  const done = outcome.outcomes.flatMap((one) => (one.error === undefined ? [one.result] : []));
  const failed = outcome.outcomes.flatMap(({ item, error }) => (error === undefined ? [] : [{ ...item, error }]));
  const [first] = done;
  if (first === undefined) throw allFailed(failed);
  for (const { name, ctx, error } of failed) ctx.warn(`${name}: ${error.message}`);
  for (const { ctx, answer } of done) for (const line of undoTexts(answer.undo ?? [], ctx)) ctx.notice(line);
  const as = first.answer.as ?? command.output;
  const rows = done.flatMap((one) => one.rows);
  const isOwn = as.kind === 'list' && as.id === (command.output as ListOutput<unknown>).id;
  const merged = (isOwn && command.clusters?.merge?.(rows, first.ctx.settings)) || rows;
  const codeOf = command.exits?.includes('condition_false') ? verdictCode : commonCode;
  const footers = done.flatMap(({ name, answer: { footer } }) => {
    const text = typeof footer === 'function' ? footer() : footer;
    return text === undefined ? [] : [`${name}: ${text}`];
  });
  return {
    // Failures are first, so that --limit does not hide them.
    value: [...rowsOfParts('cluster', failed), ...merged],
    as: clusterOutput(as),
    code: () =>
      codeOf([
        ...done.map(({ answer: { code } }) => (typeof code === 'function' ? code() : code)),
        ...failed.map(({ error }) => partialCode(error)),
      ]),
    ...(footers.length === 0 ? {} : { footer: footers.join('\n') }),
    end: async () => {
      for (const { answer } of done) await answer.end?.();
    },
  };
}

/** Messages and questions name their cluster. The bytes of several responses are no JSON. */
function nameContext(name: string, ctx: RunContext): RunContext {
  return Object.assign(Object.create(ctx) as RunContext, {
    wants: { ...ctx.wants, rawJson: false },
    notice: (text: string) => ctx.notice(`${name}: ${text}`),
    warn: (text: string) => ctx.warn(`${name}: ${text}`),
    confirm: (question: string, typing: Parameters<RunContext['confirm']>[1]) =>
      ctx.confirm(`${name}: ${question}`, typing),
  });
}

async function rowsOf(cluster: string, value: unknown): Promise<Rows> {
  if (value === undefined) return [];
  if (typeof value !== 'object' || value === null) return [{ cluster, ...{ value } }];
  const isList = Symbol.iterator in value || Symbol.asyncIterator in value;
  const rows: ClusterRow[] = [];
  for await (const row of isList ? (value as AsyncIterable<object>) : [value]) rows.push({ cluster, ...row });
  return rows;
}

/** What the answers of several clusters are printed as. */
export function clusterOutput(output: Rendering): AnyOutput {
  if (output.kind === 'list') return listOfParts('cluster', output);
  if (output.kind === 'record') return listOfParts('cluster', recordAsList(output));
  if (output.kind !== 'text') throw new SvcError('internal', `a ${output.kind} shows one cluster`);
  return listOfParts('cluster', {
    kind: 'list',
    columns: [{ name: 'value', cell: ({ value }: { readonly value: Cell }) => value }],
    id: ({ value }) => String(value),
  });
}

/** A record that is said in one line has that line in its row. */
function recordAsList<Value>({ columns, id, line }: RecordOutput<Value>): ListOutput<Value> {
  if (line === undefined) return { kind: 'list', columns, id };
  const result = (value: Value): Cell => [line(value)].flat()[0] as Cell;
  const others = columns.map((column) => ({ ...column, wide: true as const }));
  return { kind: 'list', columns: [{ name: 'result', cell: result, shrinks: true }, ...others], id };
}
