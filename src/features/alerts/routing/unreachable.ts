/** Routes that no alert can reach, as far as that can be proved from the matchers. */

import { formatMatcher, type Matcher } from '../matcher.ts';
import { labelTest } from '../matching.ts';
import type { Path } from './yaml.ts';

interface Route {
  readonly matchers: readonly Matcher[];
  readonly continue: boolean;
  readonly routes: readonly Route[];
}

interface Unreachable {
  readonly path: Path;
  readonly message: string;
}

/** The first of each branch: what is below one is not reached either. */
export async function unreachableRoutes(root: Route): Promise<readonly Unreachable[]> {
  return below(root, ['route'], root.matchers);
}

/** `above`: what an alert matches that gets this far. */
async function below({ routes }: Route, path: Path, above: readonly Matcher[]): Promise<Unreachable[]> {
  const found: Unreachable[] = [];
  /** Without `continue`: what matches one of them goes no further. */
  const final: (readonly Matcher[])[] = [];
  for (const [index, route] of routes.entries()) {
    const own: Path = [...path, 'routes', index];
    const matched = [...above, ...route.matchers];
    const message = await obstacle(matched, final);
    if (message === undefined) found.push(...(await below(route, own, matched)));
    else found.push({ path: own, message: `no alert can reach this route: ${message}` });
    if (!route.continue) final.push(route.matchers);
  }
  return found;
}

async function obstacle(
  matched: readonly Matcher[],
  final: readonly (readonly Matcher[])[],
): Promise<string | undefined> {
  for (const of of matched) {
    const values = valuesOf(of.name, matched);
    if (values !== undefined && !(await matching(of, values)).includes(true))
      return `none matches ${formatMatcher(of)} and the matchers beside and above it`;
  }
  for (const matchers of final) {
    if (!(await areImplied(matchers, matched))) continue;
    const which = matchers.length === 0 ? 'without matchers' : `with ${matchers.map(formatMatcher).join(' ')}`;
    return `an earlier one ${which} takes all of its alerts, and has no continue`;
  }
  return undefined;
}

/** Whether every alert that matches all of `matched` also matches these. */
async function areImplied(matchers: readonly Matcher[], matched: readonly Matcher[]): Promise<boolean> {
  for (const of of matchers) {
    if (of.isRegex && of.isEqual && of.value === '.*') continue;
    if (matched.some((other) => isSame(of, other))) continue;
    const values = valuesOf(of.name, matched);
    if (values === undefined || (await matching(of, values)).includes(false)) return false;
  }
  return true;
}

function isSame(a: Matcher, b: Matcher): boolean {
  return a.name === b.name && a.value === b.value && a.isRegex === b.isRegex && a.isEqual === b.isEqual;
}

/** The only values that an alert can have, if a matcher lists them. */
function valuesOf(name: string, matched: readonly Matcher[]): readonly string[] | undefined {
  const lists = matched.filter(
    (of) => of.name === name && of.isEqual && !(of.isRegex && /[\\.+*?()[\]{}^$]/.test(of.value)),
  );
  const [only] = lists.filter(({ isRegex }) => !isRegex);
  return only === undefined ? lists[0]?.value.split('|') : [only.value];
}

const tests = new WeakMap<Matcher, Awaited<ReturnType<typeof labelTest>>>();

/** Of each value, whether it matches. Few matchers need their expression compiled. */
async function matching(of: Matcher, values: readonly string[]): Promise<readonly boolean[]> {
  if (!of.isRegex) return values.map((value) => (value === of.value) === of.isEqual);
  const test = await (tests.get(of) ?? labelTest([of]));
  tests.set(of, test);
  return values.map((value) => test({ [of.name]: value }));
}
