/** Asks for what `svc alerts create` lacks: a name, labels, a summary and how long it fires. */
import type { RunContext } from '../../cli/command.ts';
import { parseDuration } from '../../cli/duration.ts';
import type { Instant } from '../../cli/flags.ts';
import { askForEach, durationFault, faultOf, tellCommand } from '../../cli/wizard.ts';
import { parseLabels } from './alert-draft.ts';

interface Asked {
  readonly name: string | undefined;
  readonly label: readonly string[];
  readonly annotation: Readonly<Record<string, string>>;
  readonly end: Instant | undefined;
  readonly for: number | undefined;
}

export async function askForAlert(
  { annotation, for: duration, end }: Asked,
  ctx: RunContext,
): Promise<Pick<Asked, 'name' | 'label' | 'annotation' | 'for'>> {
  const { prompter } = ctx;
  const name = await prompter.text({
    question: 'What is the alert called?',
    check: (text) => faultOf(() => parseLabels([text])),
  });
  const question = 'A label, such as host=db-1 (Enter for none):';
  const [, ...label] = await askForEach({ question, parse: parseLabels }, ctx, [name]);
  const summary =
    Object.keys(annotation).length > 0 ? '' : await prompter.text({ question: 'A summary (Enter for none):' });
  const length =
    duration !== undefined || end !== undefined
      ? ''
      : await prompter.text({
          question: 'For how long does it fire, such as 2h (Enter for as long as the server lets it)?',
          check: (text) => (text === '' ? undefined : durationFault(text)),
        });
  tellCommand(ctx, [
    name,
    ...label,
    ...(summary === '' ? [] : ['--annotation', `summary=${summary}`]),
    ...(length === '' ? [] : ['--for', length]),
  ]);
  return {
    name,
    label,
    annotation: summary === '' ? annotation : { ...annotation, summary },
    for: length === '' ? duration : parseDuration(length),
  };
}
