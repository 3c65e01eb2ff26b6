import { createError } from '@berth/contract';
import { createSilentLogger } from '@berth/kit';
import { createFakeClock } from '@berth/testkit';
import type { Container } from 'dockerode';
import { describe, expect, test } from 'vitest';
import { translateEngineError } from '../engine/engine-errors.ts';
import type { Engine } from '../engine/open-engine.ts';
import type { AttachedOutput } from './attach-output.ts';
import { createInstance } from './create-instance.ts';
import type { ImageSpec } from './plan-key.ts';
import type { ContainerParts } from './prepare-container.ts';
import { type ContainerEnd, watchContainer } from './watch-container.ts';

/** A pid that no process has: above the kernel's maximum. */
const NO_PID = 2 ** 22 + 1;
const AWAY = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const response = (statusCode: number) => Object.assign(new Error(`HTTP ${statusCode}`), { statusCode });

/** A container of an engine that is not there: each call of `answers` is one call to the engine. */
function createFixture() {
  const clock = createFakeClock();
  const calls: string[] = [];
  const answers: Record<string, () => unknown> = {};
  const method = (name: string) => async (options?: { readonly signal?: string }) => {
    calls.push([name, options?.signal].filter(Boolean).join(' '));
    return answers[name]?.();
  };
  const container = Object.fromEntries(
    ['kill', 'pause', 'unpause', 'wait', 'inspect'].map((name) => [name, method(name)]),
  ) as unknown as Container;
  const engine = {
    async call(work: () => Promise<unknown>) {
      try {
        return await work();
      } catch (error) {
        throw translateEngineError(error, 'unix:///x');
      }
    },
  } as unknown as Engine;
  const notes: string[] = [];
  const warnings: string[] = [];
  const logger = { ...createSilentLogger(), warn: (_fields: unknown, text: string) => void warnings.push(text) };
  const parts = { engine, clock, logger, policy: { hasInit: true } } as unknown as ContainerParts;
  const ended = Promise.withResolvers<ContainerEnd>();
  let discards = 0;
  let discard = async () => {};
  const instance = createInstance({
    spec: {
      instanceId: 'inst_1',
      port: 8080,
      output: (_stream: string, chunk: Uint8Array) => void notes.push(Buffer.from(chunk).toString()),
    } as unknown as ImageSpec,
    prepared: {
      container,
      discard: () => {
        discards += 1;
        return discard();
      },
    },
    parts,
    pid: 0,
    ended: ended.promise,
    host: '10.0.0.2',
  });
  return {
    ...{ clock, calls, answers, instance, notes, warnings, container, parts },
    end: (exitCode: number, isOutOfMemory = false) => ended.resolve({ exitCode, isOutOfMemory }),
    discards: () => discards,
    setDiscard(work: () => Promise<void>) {
      discard = work;
    },
  };
}

const fail = (error: unknown) => () => {
  throw error;
};

describe('a container whose engine is away', () => {
  // Fails when an error of SIGTERM ends the stop, and when the kill isn't retried.
  test('is killed as soon as the engine is back, after the grace period', async () => {
    const { clock, calls, answers, instance, warnings, end } = createFixture();
    answers['kill'] = fail(AWAY);
    const stopped = instance.stop({ graceMs: 1_000 });
    await clock.elapse(1_600);
    expect(calls).toEqual(['kill SIGTERM', 'kill SIGKILL', 'kill SIGKILL']);
    expect(warnings).toEqual(['a container could not be stopped']);
    answers['kill'] = () => {};
    await clock.elapse(500);
    expect(calls).toHaveLength(4);
    end(137);
    expect(await stopped).toEqual({ exitCode: null, signal: 'SIGKILL', isOutOfMemory: false, isRequested: true });
    await clock.elapse(10_000);
    expect(calls).toHaveLength(4);
  });

  // Fails when the removal isn't retried, or another error is.
  test('is removed when the engine is back', async () => {
    const { clock, instance, end, discards, setDiscard, warnings } = createFixture();
    setDiscard(fail(createError('unavailable', 'Away.')));
    end(0);
    await clock.elapse(200);
    const before = discards();
    expect(before).toBeGreaterThan(1);
    setDiscard(async () => {});
    await clock.elapse(2_000);
    await instance.removed;
    expect(discards()).toBe(before + 1);
    expect(warnings).toEqual([]);
  });

  test('is left to the next server when the engine refuses to remove it', async () => {
    const { instance, end, discards, setDiscard, warnings } = createFixture();
    setDiscard(fail(response(500)));
    end(0);
    await instance.removed;
    expect([discards(), warnings]).toEqual([1, ['a container was left behind; the next start removes it']]);
  });
});

// Fails when 404, 409 or 304 is an error, and when another status is not.
test('a container that has ended meanwhile can be frozen and stopped', async () => {
  const { answers, instance, clock, end, warnings } = createFixture();
  for (const status of [404, 409, 304]) {
    answers['pause'] = fail(response(status));
    await instance.suspend?.();
    await instance.resume?.();
  }
  answers['pause'] = fail(response(500));
  await expect(instance.suspend?.()).rejects.toMatchObject({ statusCode: 500 });
  answers['kill'] = fail(response(409));
  const stopped = instance.stop({ graceMs: 100 });
  await clock.elapse(1);
  end(143);
  expect(await stopped).toMatchObject({ signal: 'SIGTERM', isRequested: true });
  expect(warnings).toEqual([]);
});

// Fails when a frozen container isn't thawed before SIGTERM.
test('a frozen container is thawed before it is told to stop', async () => {
  const { instance, calls, clock, end } = createFixture();
  await instance.suspend?.();
  const stopped = instance.stop();
  await clock.elapse(1);
  end(0);
  await stopped;
  expect(calls).toEqual(['pause', 'unpause', 'kill SIGTERM']);
});

describe('a process that the memory limit killed', () => {
  // Fails when the exit doesn't count it, or the note comes although the whole instance ended.
  test('is the reason of the end that follows', async () => {
    const { instance, clock, end, notes } = createFixture();
    instance.noteOutOfMemory();
    end(1);
    expect(await instance.exited).toMatchObject({ exitCode: 1, isOutOfMemory: true });
    await clock.elapse(1_000);
    expect(notes).toEqual([]);
  });

  test('is told to the owner when the instance goes on', async () => {
    const { instance, clock, notes } = createFixture();
    instance.noteOutOfMemory();
    await clock.elapse(1_000);
    expect(notes).toEqual(['berth: A process was killed because the instance exceeded its memory limit.\n']);
  });
});

describe('the end of a container', () => {
  const output = { finish: async () => {}, errorText: () => '' } as AttachedOutput;

  // Fails when the engine's answer isn't read, or the output isn't waited for.
  test('is what the engine says, once the output was delivered', async () => {
    const { container, parts, answers } = createFixture();
    answers['inspect'] = () => ({ State: { ExitCode: 3, OOMKilled: true } });
    const steps: string[] = [];
    const waited = { ...output, finish: async () => void steps.push('output') };
    const end = await watchContainer(container, NO_PID, waited, parts, () => steps.push('end'));
    expect([end, steps]).toEqual([{ exitCode: 3, isOutOfMemory: true }, ['end', 'output']]);
  });

  // Fails when a 404 is retried.
  test('is SIGKILL when somebody else removed it', async () => {
    const { container, parts, answers } = createFixture();
    answers['wait'] = fail(response(404));
    expect(await watchContainer(container, process.pid, output, parts)).toEqual({
      exitCode: 137,
      isOutOfMemory: false,
    });
  });

  // Fails when an engine that is away counts as the end, although the container's process runs.
  test('is waited for while its process runs, even when the engine is away', async () => {
    const { container, parts, answers, clock, calls } = createFixture();
    answers['wait'] = fail(AWAY);
    answers['inspect'] = () => ({ State: { ExitCode: 0, OOMKilled: false } });
    const watched = watchContainer(container, process.pid, output, parts);
    await clock.elapse(3_000);
    const before = calls.length;
    expect(before).toBeGreaterThan(2);
    answers['wait'] = () => {};
    await clock.elapse(2_000);
    expect(await watched).toEqual({ exitCode: 0, isOutOfMemory: false });
  });
});
