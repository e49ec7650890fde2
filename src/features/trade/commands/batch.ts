import { listCommand } from '../../../cli/command.ts';
import { runBatch } from '../batch-run.ts';
import { CHANGE_FLAGS } from '../change-flags.ts';
import { BATCH_LIST } from '../changes.ts';

export const tradeBatch = listCommand({
  id: 'trade batch',
  summary: 'Send the orders of a file in one session',
  description:
    'A line of JSON each: "command" is buy, sell, entry buy, entry sell, close, order cancel, order set, position set or oco create, and the other names are those of its arguments and options. All lines are checked and looked up before the first one is sent, and confirmed together. They are sent one after the other, each once, until the first one that fails; --keep-going goes on after one that was refused, and nothing goes on after one whose outcome is not known. The exit status is 10 where only some of them were done, and 8 where the outcome of one is not known. Of the requests the interface document shows those of buy and sell at market and of entry orders: the others, and what their help says of options, are as seen on the public implementation.',
  effect: 'money',
  service: 'trade',
  args: { file: { help: 'Its lines, or - for standard input', required: true, complete: 'files' } },
  flags: {
    'keep-going': { type: 'boolean', help: 'Go on after a request that was refused' },
    ...CHANGE_FLAGS,
  },
  exits: ['partly_done'],
  examples: [
    {
      run: 'svc trade batch orders.ndjson',
      why: 'Lines as {"command": "buy", "symbol": "EUR/USD", "amount": 5}',
    },
    { run: 'svc trade batch - --yes -o ndjson', why: 'From a pipe, a result a line' },
  ],
  output: BATCH_LIST,
  run: runBatch,
});
