import { createSilentLogger } from '@berth/kit';
import { createFakeClock } from '@berth/testkit';
import { expect, test } from 'vitest';
import type { ReaderEnd, RunFrame, RunReader } from '../runs/run-engine.ts';
import { frameStream } from './frame-stream.ts';

/** A reader that gives `batches` and ends as it is told. */
function createReader(batches: readonly (readonly RunFrame[])[], end: Promise<ReaderEnd>): RunReader {
  return {
    runId: 'run_1',
    attempt: 1,
    ended: end,
    close: () => {},
    async *[Symbol.asyncIterator]() {
      yield* batches;
      await end;
    },
  };
}

const frame = (seq: number): RunFrame => ({ seq, json: JSON.stringify({ type: 'text', text: `${seq}` }) });

const clock = createFakeClock();

test.each<[ReaderEnd, string]>([
  ['done', 'data: [DONE]\n\n'],
  ['stopped', 'data: [DONE]\n\n'],
  ['failed', 'data: [DONE]\n\n'],
  ['interrupted', 'id: run_1:4\ndata: {"type":"status","status":"interrupted"}\n\ndata: [DONE]\n\n'],
  ['too_slow', ''],
  ['left', ''],
])('a run that is %s ends with %j', async (end, tail) => {
  const reader = createReader([[frame(1)], [frame(2), frame(3)]], Promise.resolve(end));
  const text = await frameStream(reader, { clock, logger: createSilentLogger() }).text();
  const events = [1, 2, 3].map((seq) => `id: run_1:${seq}\ndata: {"type":"text","text":"${seq}"}\n\n`);
  expect(text).toBe(events.join('') + tail);
});

test('a reader that had all there was is told the end by the next number', async () => {
  const reader = createReader([], Promise.resolve('interrupted'));
  const text = await frameStream(reader, { clock, logger: createSilentLogger(), afterSeq: 41 }).text();
  expect(text).toMatch(/^id: run_1:42\n/);
});

test('15 s of silence are told by a ping, which is no frame of the run', async () => {
  // Holds the agent to the contract: verifies('frame.ping')
  const end = Promise.withResolvers<ReaderEnd>();
  const response = frameStream(createReader([], end.promise), { clock, logger: createSilentLogger() });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const read = async () => new TextDecoder().decode((await reader.read()).value);
  const first = read();
  await clock.elapse(15_000);
  expect(await first).toBe('data: {"type":"ping"}\n\n');
  const second = read();
  await clock.elapse(15_000);
  expect(await second).toBe('data: {"type":"ping"}\n\n');
  end.resolve('done');
  expect(await read()).toBe('data: [DONE]\n\n');
});
