import { createSilentLogger, type LogFields } from '@berth/kit';
import { createFakeClock } from '@berth/testkit';
import { expect, it } from 'vitest';
import { createUsageLine } from './usage-line.ts';

async function lineOf(...usages: readonly Parameters<ReturnType<typeof createUsageLine>['add']>[0][]) {
  const lines: LogFields[] = [];
  const clock = createFakeClock();
  const log = { ...createSilentLogger(), info: (fields: LogFields) => void lines.push(fields) };
  const line = createUsageLine({ user: { id: 'ada', orgId: 'acme' }, chatId: 'c1', runId: 'r1', log, clock });
  for (const usage of usages) line.add(usage);
  await clock.elapse(1_500);
  line.write();
  return lines;
}

it('adds up what a handler reported', async () => {
  // Holds the agent to the contract: verifies('log.usage'). Fails when a field has another name.

  const [line] = await lineOf(
    { model: 'large', inputTokens: 100, outputTokens: 10, costUsd: 0.001 },
    { model: 'small', inputTokens: 5, cachedInputTokens: 4, outputTokens: 1, costUsd: 0.0000004 },
  );
  expect(line).toEqual({
    event: 'usage',
    level: 'usage',
    user_id: 'ada',
    org_id: 'acme',
    chat_id: 'c1',
    model: 'large',
    input: 105,
    output: 11,
    cached: 4,
    cost: '0.001000',
    currency: 'USD',
    run_id: 'r1',
    steps: 2,
    priced: true,
    duration_ms: 1_500,
  });
});

it('says what it does not know', async () => {
  const [line] = await lineOf({ inputTokens: 7, isEstimated: true });
  expect(line).toMatchObject({ model: 'unknown', cost: '0.000000', priced: false, estimated: true });
});

it('is not there for a turn that reported nothing', async () => {
  expect(await lineOf()).toEqual([]);
});
