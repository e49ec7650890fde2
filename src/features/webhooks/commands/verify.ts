import { type Answer, listCommand } from '../../../cli/command.ts';
import type { Instant } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { RawBytes, RowBatches, type Rows } from '../../../output/types.ts';
import type { CheckedDelivery, CheckOptions } from '../checked-delivery.ts';
import { DELIVERY_FORMATS } from '../container.ts';
import { HEADER_PREFIX } from '../delivery.ts';
import { GIVEN_HEADER_FLAGS, givenHeaders } from '../given-headers.ts';
import { fingerprint, standardWebhooksSecret } from '../secret.ts';
import { requireSecrets, SECRET_FLAGS } from '../signing-secrets.ts';
import { parseTolerance, TOLERANCE_FLAG } from '../tolerance.ts';
import { reason, VERDICT_RECORD, type VerdictView, verdictList } from '../verdicts.ts';

export const webhooksVerify = listCommand({
  id: 'webhooks verify',
  summary: 'Check the signatures of deliveries, and say why one does not match',
  description:
    'Reads raw HTTP requests, HARs, curl lines, curl --trace, recordings, and requests in the JSON of API Gateway, ALB, webhook.site, ngrok, Postman, Insomnia or {headers, body}. Where the signature is given by an option, everything is a body unless --format says otherwise. Ends with 0 where all are valid, 1 where any is not, 2 where something could not be checked, is in no format that svc reads, or nothing was there. Ages are measured against the time of receipt in recordings and HARs, and against now elsewhere.\nA mismatch is searched for its cause in bodies of up to 16 MiB (8 MiB on standard input): a hint is told only where the repaired bytes, secret or header do match. One delivery is one object with -o json, several are an array.',
  effect: 'read',
  args: { file: { repeat: true, help: 'Files, folders, or - for standard input (the default)', complete: 'files' } },
  flags: {
    format: { type: 'choice', choices: DELIVERY_FORMATS, default: 'auto', help: 'What the inputs are' },
    ...GIVEN_HEADER_FLAGS,
    ...SECRET_FLAGS,
    'key-derivation': {
      type: 'choice',
      value: 'how',
      choices: ['raw', 'std'],
      default: 'raw',
      help: 'The key: the text of the secret, or what follows whsec_ base64-decoded (Standard Webhooks)',
    },
    tolerance: TOLERANCE_FLAG,
    'ignore-timestamp': { type: 'boolean', help: 'Same as --tolerance none' },
    now: { type: 'time', bare: 'back', unix: true, help: 'Check as if it were this time' },
    'received-at': {
      type: 'time',
      bare: 'back',
      unix: true,
      help: 'When they were received, whatever a recording says',
    },
    extract: { type: 'boolean', help: 'Print the exact body of one delivery if it is valid, and nothing if not' },
    'fail-fast': { type: 'boolean', help: 'Stop at the first that is not valid' },
    'show-expected': { type: 'boolean', help: 'Show the right signature too: within the tolerance it is a forgery' },
    hints: { type: 'boolean', default: true, help: 'Do not search for the cause of a mismatch' },
  },
  exits: ['signature_invalid'],
  examples: [
    {
      run: 'svc webhooks verify body.json --timestamp 1767225600 --signature sha256=517d… --secret-file key',
      why: 'A body, and its two headers from a log',
    },
    {
      run: 'svc webhooks verify request.http --secret-file old --secret-file new',
      why: 'A raw request, during a rotation',
    },
    {
      run: 'svc webhooks verify rec.ndjson --tolerance 1h -o ndjson',
      why: 'All deliveries of a recording, as lines of JSON',
    },
    { run: 'svc webhooks verify --extract request.http | jq .data', why: 'Go on with a body only if it is genuine' },
  ],
  output: verdictList({ prefix: HEADER_PREFIX, secrets: [], several: true, hintWords: (name) => name }),
  async run(input, ctx): Promise<Answer<Rows<CheckedDelivery>>> {
    const { DeliveryChecker, inputFiles, VerificationRun } = await import('../verification-run.ts');
    const named = requireSecrets(input, ctx);
    const secrets = input.keyDerivation === 'std' ? named.map(standardWebhooksSecret) : named;
    const given = await givenHeaders(input, ctx);
    const prefix = input.headerPrefix;
    const check = new DeliveryChecker({
      secrets,
      prefix,
      given,
      toleranceS: input.ignoreTimestamp ? undefined : parseTolerance(input.tolerance),
      at: clock(input),
      now: ctx.now,
      hints: input.hints,
      digests: ctx.wants.fields,
      expected: input.showExpected,
    });
    const signing = [`${prefix}timestamp`, `${prefix}signature`].map((name) => name.toLowerCase());
    const run = new VerificationRun(check, {
      format: input.format,
      signed: given.some(([name]) => signing.includes(name.toLowerCase())),
      refuseBodies: 'with a body alone pass --timestamp and --signature, or --headers-file',
      prefix,
      chunks: ctx.inputChunks,
      notice: ctx.notice,
    });
    const paths = inputFiles(input.file);
    const hintWords = (name: string): string => check.hintWords(name);
    const view = { prefix, secrets: named.map(fingerprint), hintWords };
    if (input.extract) return extracted(await run.only(paths), view);

    const batches = run.batches(paths, input.failFast);
    const taken = await batches.next();
    const [first, ...others] = taken.done ? [] : taken.value;
    if (taken.done || first === undefined) throw run.nothing();
    const several = paths.length > 1 || first.source !== (paths[0] === '-' ? 'stdin' : paths[0]);
    const whole: Pick<Answer<unknown>, 'footer' | 'code'> = {
      footer: () => {
        const summary = run.count > 1 ? run.summary() : undefined;
        if (run.failure === undefined) return summary;
        if (summary !== undefined && ctx.wants.table) ctx.notice(summary);
        throw run.failure;
      },
      code: () => (run.allValid ? undefined : 'signature_invalid'),
    };
    const begun = [taken.value];
    if (ctx.wants.document && others.length === 0) {
      const next = await batches.next();
      if (next.done) return { ...whole, value: first, as: VERDICT_RECORD };
      begun.push(next.value);
    }
    return { ...whole, value: new RowBatches(resumed(begun, batches)), as: verdictList({ ...view, several }) };
  },
});

/** What was taken to see how many there are, and all that follows. */
async function* resumed<Batch>(
  taken: readonly Batch[],
  rest: AsyncGenerator<Batch, void, void>,
): AsyncGenerator<Batch> {
  yield* taken;
  yield* rest;
}

function extracted(
  { row, body }: { readonly row: CheckedDelivery; readonly body: Uint8Array },
  view: Omit<VerdictView, 'several'>,
): Answer<never> {
  if (row.valid) return { value: new RawBytes(body), as: { kind: 'text' } };
  const why = reason(row, { ...view, several: false });
  throw new SvcError('signature_invalid', `${row.verdict}: ${row.source}: ${why}`, { hint: 'nothing was printed' });
}

interface Clocks {
  readonly now: Instant | undefined;
  readonly receivedAt: Instant | undefined;
}

function clock({ now, receivedAt }: Clocks): CheckOptions['at'] {
  if (now !== undefined && receivedAt !== undefined) {
    throw new SvcError('usage', '--now and --received-at both say what time to check against', { hint: 'give one' });
  }
  if (receivedAt !== undefined) return { seconds: receivedAt.ms / 1000, clock: 'received_at' };
  return now === undefined ? undefined : { seconds: now.ms / 1000, clock: 'now' };
}
