/** The launcher loads this for `svc __complete`, so that <Tab> waits only for what it needs. */

export { answerCompletion } from './cli/completion/answer.ts';
export { processContext } from './process/context.ts';
