/** What the launcher in bin/ needs of the bundle. */

export { main } from './main.ts';
export { processContext } from './process/context.ts';
