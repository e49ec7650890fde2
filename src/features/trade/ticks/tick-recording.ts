/** `trade stream --out`: records ticks until the stream ends. */
import type { RunContext } from '../../../cli/command.ts';
import type { RecordOutput } from '../../../output/types.ts';
import { asOnlyWriter } from '../../../store/lock.ts';
import { type TickRow, tickLines } from './price-ticks.ts';
import { type StreamInput, type StreamLines, streamed } from './stream-rows.ts';
import { checkTickFile, parseRotation, TickFile } from './tick-file.ts';

export interface RecordingInput extends StreamInput {
  readonly out: string;
  readonly rotate: string | undefined;
  readonly resume: boolean;
}

export interface Recording {
  readonly file: string;
  /** Of this run. */
  readonly ticks: number;
  readonly rotations: number;
}

export const RECORDING: RecordOutput<Recording> = {
  kind: 'record',
  columns: [
    { name: 'file', cell: ({ file }) => file },
    { name: 'ticks', cell: ({ ticks }) => ticks },
    { name: 'rotations', cell: ({ rotations }) => rotations },
  ],
  id: ({ file }) => file,
};

export async function recordTicks(input: RecordingInput, ctx: RunContext): Promise<Recording> {
  const { out, resume } = input;
  const rotation = parseRotation(input.rotate);
  const format = checkTickFile(out, { resume });
  const record = async (): Promise<Recording> => {
    const file = TickFile.open(out, format, { rotation, now: ctx.now, notice: ctx.notice });
    try {
      for await (const row of streamed(input, outagesToo(ctx), ctx)) file.write(row);
    } catch (error) {
      file.abandon();
      throw error;
    } finally {
      ctx.notice(`recorded ${file.ticks} ${file.ticks === 1 ? 'tick' : 'ticks'} to ${out}`);
    }
    file.close();
    return { file: out, ticks: file.ticks, rotations: file.rotations };
  };
  return asOnlyWriter(out, ctx, record);
}

/** The value comes only at the end, so outages are printed as they happen. */
function outagesToo(ctx: RunContext): StreamLines<TickRow> {
  const lines = tickLines({ events: true });
  return {
    ...lines,
    outage(event) {
      const reason = event.kind === 'unreachable' ? event.reason : undefined;
      void ctx.reportOutage({ event: event.kind, ...(reason === undefined ? {} : { reason }) });
      return lines.outage(event);
    },
  };
}
