/** The command line as commander reads it. */
import { Command as Commander, CommanderError, Option } from 'commander';
import { SvcError } from '../errors.ts';
import { camelCase, type Flags, negatable, takesValue } from './flags.ts';

/** The texts that a value option was given, or whether one without a value was. */
export type RawOption = readonly string[] | boolean;

export interface SplitTokens {
  readonly options: ReadonlyMap<string, RawOption>;
  readonly operands: readonly string[];
}

/** Throws `usage` in commander's words. */
export function splitByCommander(id: string, flags: Flags, tokens: readonly string[]): SplitTokens {
  const options = new Map<string, RawOption>();
  const parser = new Commander(id)
    .exitOverride()
    .configureOutput({ writeErr: () => {}, writeOut: () => {} })
    .helpOption(false)
    .allowExcessArguments(true)
    .argument('[operands...]');
  for (const [name, flag] of Object.entries(flags)) {
    const short = flag.short === undefined ? '' : `-${flag.short}, `;
    const option = takesValue(flag)
      ? new Option(`${short}--${name} <value>`).argParser((value: string, previous: string[] | undefined) => [
          ...(previous ?? []),
          value,
        ])
      : new Option(`${short}--${name}`);
    parser.addOption(option);
    parser.on(`option:${name}`, () => {
      if (!takesValue(flag)) options.set(name, true);
    });
    if (negatable(flag)) {
      parser.addOption(new Option(`--no-${name}`));
      parser.on(`option:no-${name}`, () => options.set(name, false));
    }
  }
  try {
    parser.parse([...tokens], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const message = error.message.replace(/^error: /, '').replace(/\n/g, ' ');
    throw new SvcError('usage', message, { hint: `see svc ${id} --help` });
  }
  for (const [name, flag] of Object.entries(flags)) {
    if (takesValue(flag)) {
      const values: unknown = parser.getOptionValue(camelCase(name));
      // Commander takes --no-events, which is an option of its own, for the end of --events.
      if (Array.isArray(values)) options.set(name, values as string[]);
    }
  }
  return { options, operands: parser.args };
}
