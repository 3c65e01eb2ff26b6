import type { DeployEvent } from '@berth/contract';
import { expect, test } from 'vitest';
import { readDeployReport } from './deploy-report.ts';

const event = (status: DeployEvent['status'], message: string, more: Partial<DeployEvent> = {}): DeployEvent => ({
  status,
  message,
  deploy_id: 'd1',
  time: '2026-01-01T00:00:00Z',
  ...more,
});

async function* of(events: readonly DeployEvent[]) {
  yield* events;
}

const BUILD = [
  event('BUILDING', 'Building'),
  event('BUILDING', 'one\ntwo', { log: true }),
  event('BUILDING', 'three', { log: true }),
];

test.each([
  ['the last lines of a build are there already', ['two', 'three'], ['one', 'two', 'three']],
  ['those of a program are not', ['boom'], ['one', 'two', 'three', 'boom']],
  ['there may be none', [], ['one', 'two', 'three']],
  ['more than were shown', ['zero', 'one', 'two', 'three'], ['one', 'two', 'three', 'zero', 'one', 'two', 'three']],
])('what was printed is told once: %s', async (_title, logs, lines) => {
  const end = event('ERROR', 'It failed.', { code: 'build_failed', logs });
  const report = await readDeployReport(of([...BUILD, end]));
  expect(report).toMatchObject({ lines, failure: { message: 'It failed.' }, stages: [{ hasFailed: true }] });
});

test('a successful deploy has no failure', async () => {
  const report = await readDeployReport(
    of([event('BUILDING', 'Building'), event('DEPLOYING', 'Starting'), event('DONE', 'ok')]),
  );
  expect(report.failure).toBeUndefined();
  expect(report.stages.map(({ status }) => status)).toEqual(['BUILDING', 'DEPLOYING']);
});
