/** What the launcher in bin/ needs of the bundle. */
export { processContext } from './context.ts';
export { main } from './main.ts';
export { resolvePaths } from './store/paths.ts';
