/** What the launcher loads for `svc __complete`: <Tab> waits for nothing that only commands need. */

export { answerCompletion } from './cli/completion/answer.ts';
export { processContext } from './process/context.ts';
