import type { DeployEvent } from '@berth/contract';
import { describe, expect, test } from 'vitest';
import { addLastLines } from './add-last-lines.ts';
import { deployStages } from './deploy-stages.ts';

const at = (second: number) => Date.parse('2026-01-01T00:00:00Z') + second * 1_000;

/** Returns the events of one deploy, one second apart. */
function events(...given: readonly (readonly [DeployEvent['status'], string, isLog?: boolean])[]): DeployEvent[] {
  return given.map(
    ([status, message, isLog = false], second) =>
      ({
        status,
        message,
        time: new Date(at(second)).toISOString(),
        ...(isLog && { log: { stream: 'stdout' } }),
      }) as unknown as DeployEvent,
  );
}

describe('the stages of a deploy', () => {
  test('have start and end times, and the last message that is not command output', () => {
    const stages = deployStages(
      events(
        ['BUILDING', 'Detected Node.js'],
        ['BUILDING', 'added 3 packages', true],
        ['DEPLOYING', 'Starting an instance'],
        ['DONE', 'Ready.'],
      ),
    );
    expect(stages).toEqual([
      { status: 'BUILDING', beganAtMs: at(0), endedAtMs: at(2), hasFailed: false, message: 'Detected Node.js' },
      { status: 'DEPLOYING', beganAtMs: at(2), endedAtMs: at(3), hasFailed: false, message: 'Starting an instance' },
    ]);
  });

  test('stay active until an event ends them', () => {
    const [stage] = deployStages(events(['BUILDING', 'npm ci', true]));
    expect(stage).toMatchObject({ endedAtMs: undefined, message: '' });
    expect(deployStages([])).toEqual([]);
  });

  // Fails when the failure is assigned to every stage, or to none.
  test('fail where the error occurred, and ignore later events', () => {
    const stages = deployStages(
      events(['BUILDING', 'a'], ['DEPLOYING', 'b'], ['ERROR', 'port 3000 stayed closed'], ['DEPLOYING', 'late']),
    );
    expect(stages.map(({ hasFailed, message }) => [hasFailed, message])).toEqual([
      [false, 'a'],
      [true, 'b'],
    ]);
  });
});

describe('the last lines of a failure', () => {
  const added = (lines: readonly string[], last: readonly string[]) => {
    const result = [...lines];
    addLastLines(result, last);
    return result;
  };

  test('are appended if they were not printed before', () => {
    expect(added(['npm ci'], ['Error: no port'])).toEqual(['npm ci', 'Error: no port']);
    expect(added([], ['a', 'b'])).toEqual(['a', 'b']);
    expect(added(['b'], ['a', 'b'])).toEqual(['b', 'a', 'b']);
  });

  test('are left out if the build already printed them', () => {
    expect(added(['a', 'b', 'c'], ['b', 'c'])).toEqual(['a', 'b', 'c']);
    expect(added(['a'], [])).toEqual(['a']);
  });
});
