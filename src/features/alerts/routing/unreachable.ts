/** Routes that no alert can reach, as far as that can be proved from the matchers. */
import type { Path } from '../../../store/yaml.ts';
import { formatMatcher, type Matcher } from '../matcher.ts';
import { labelTest } from '../matching.ts';

interface RouteConfig {
  readonly matchers: readonly Matcher[];
  readonly continue: boolean;
  readonly routes: readonly RouteConfig[];
}

interface Unreachable {
  readonly path: Path;
  readonly message: string;
}

/** The first of each branch: what is below one is not reached either. */
export async function unreachableRoutes(root: RouteConfig): Promise<readonly Unreachable[]> {
  return below(root, ['route'], root.matchers);
}

/** `above`: what an alert matches that gets this far. */
async function below({ routes }: RouteConfig, path: Path, above: readonly Matcher[]): Promise<Unreachable[]> {
  const found: Unreachable[] = [];
  const final: RouteConfig[] = [];
  for (const [index, route] of routes.entries()) {
    const own: Path = [...path, 'routes', index];
    const matched = [...above, ...route.matchers];
    const message = await obstacle(matched, final);
    if (message === undefined) found.push(...(await below(route, own, matched)));
    else found.push({ path: own, message });
    if (!route.continue) final.push(route);
  }
  return found;
}

/** `before`: earlier routes without `continue`. */
async function obstacle(matched: readonly Matcher[], before: readonly RouteConfig[]): Promise<string | undefined> {
  for (const of of matched) {
    const values = valuesOf(of.name, matched);
    if (values !== undefined && !(await matchesSome(of, values)))
      return `no alert can reach this route: none matches ${formatMatcher(of)} and the matchers beside and above it`;
  }
  for (const { matchers } of before) {
    if (!(await areImplied(matchers, matched))) continue;
    const which = matchers.length === 0 ? 'without matchers' : `with ${matchers.map(formatMatcher).join(' ')}`;
    return `no alert can reach this route: an earlier one ${which} takes all of its alerts, and has no continue`;
  }
  return undefined;
}

async function areImplied(matchers: readonly Matcher[], matched: readonly Matcher[]): Promise<boolean> {
  for (const of of matchers) if (!(await isImplied(of, matched))) return false;
  return true;
}

/** Whether every alert that matches all of `matched` also matches this one. */
async function isImplied(of: Matcher, matched: readonly Matcher[]): Promise<boolean> {
  if (of.isRegex && of.isEqual && of.value === '.*') return true;
  if (matched.some((other) => formatMatcher(other) === formatMatcher(of))) return true;
  const values = valuesOf(of.name, matched);
  return values !== undefined && matchesAll(of, values);
}

/** The only values that an alert can have, if a matcher lists them. */
function valuesOf(name: string, matched: readonly Matcher[]): readonly string[] | undefined {
  const lists = matched.filter(
    (of) => of.name === name && of.isEqual && !(of.isRegex && /[\\.+*?()[\]{}^$]/.test(of.value)),
  );
  const [first] = lists
    .map(({ isRegex, value }) => (isRegex ? value.split('|') : [value]))
    .sort((a, b) => a.length - b.length);
  return first;
}

async function matchesAll(of: Matcher, values: readonly string[]): Promise<boolean> {
  const test = await labelTest([of]);
  return values.every((value) => test({ [of.name]: value }));
}

async function matchesSome(of: Matcher, values: readonly string[]): Promise<boolean> {
  const test = await labelTest([of]);
  return values.some((value) => test({ [of.name]: value }));
}
