import { createRecordingLogger } from '@berth/testkit';
import { expect, it } from 'vitest';
import { openSpan } from './open-span.ts';
import { openTestSdk } from './testing/open-sdk.ts';
import { traceLogger } from './trace-logger.ts';

const record = () => {
  const lines: string[] = [];
  return { logger: traceLogger(createRecordingLogger(lines)), read: () => lines.map((line) => JSON.parse(line)) };
};

it('adds nothing when tracing is off, or no trace is active', async () => {
  const { logger, read } = record();
  logger.info({ a: 1 }, 'off');
  await using _sdk = openTestSdk();
  logger.info({}, 'on');
  expect(read()).toEqual([
    { level: 'info', message: 'off', a: 1 },
    { level: 'info', message: 'on' },
  ]);
});

// Fails when a line names the span in which its logger was made, or replaces what the line itself says.
it('adds the trace and the span that are active when the line is written', async () => {
  await using sdk = openTestSdk();
  const { logger, read } = record();
  using outer = openSpan('outer');
  outer?.run(() => {
    const child = logger.child({ runId: 'r1' });
    using inner = openSpan('inner');
    inner?.run(() => {
      child.warn({}, 'one');
      logger.error({ trace_id: 'own' }, 'two');
    });
  });
  const { traceId, spanId } = sdk.find('inner').spanContext();
  expect(read()).toEqual([
    { level: 'warn', message: 'one', runId: 'r1', trace_id: traceId, span_id: spanId },
    { level: 'error', message: 'two', trace_id: 'own', span_id: spanId },
  ]);
});
