/** Commands that change something at the gateway. */
import { type Answer, type Command, listCommand, type RunContext, type Spec } from '../../../cli/command.ts';
import type { Arguments, Flags, Input } from '../../../cli/flags.ts';
import type { ListOutput } from '../../../output/types.ts';
import { previewChange } from './change-preview.ts';
import { CHANGE_LIST, type ChangeRow, rowOf } from './change-report.ts';
import { type Change, type ChangeInput, carryOut } from './planned-requests.ts';

type None = Record<never, never>;

/** Its rows are one for each request, unless it has a `run` of its own. */
export function changeCommand<const A extends Arguments = None, const F extends Flags = None>({
  change,
  output = CHANGE_LIST,
  run,
  ...spec
}: Omit<Spec<A, F>, 'effect' | 'service'> & {
  readonly args?: A;
  readonly flags?: F;
  readonly change: (input: Input<A, F>, ctx: RunContext) => Change;
  // biome-ignore lint/suspicious/noExplicitAny: `run` decides what the rows are
  readonly output?: ListOutput<any>;
  readonly run?: (input: Input<A, F>, ctx: RunContext) => Promise<Answer<readonly ChangeRow[]>>;
}): Command {
  const usual = async (input: ChangeInput & { readonly preview?: boolean }, ctx: RunContext) => {
    const planned = change(input as Input<A, F>, ctx);
    return input.preview && !ctx.dryRun ? previewChange(planned, input, ctx) : carryOut(planned, input, ctx, rowOf);
  };
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const command: any = { ...spec, effect: 'money', service: 'trade', output, run: run ?? usual };
  return listCommand(command);
}
