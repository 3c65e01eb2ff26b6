import type { Logger } from '@berth/kit';
import { expect, test } from 'vitest';
import { createShutdown, openWithShutdown } from './shutdown.ts';

function recordingLogger() {
  const errors: unknown[] = [];
  const ignore = () => {};
  const logger: Logger = {
    debug: ignore,
    info: ignore,
    warn: ignore,
    error: (fields) => void errors.push(fields),
    child: () => logger,
  };
  return { logger, errors };
}

test('steps run in reverse order, each once, and one that fails does not keep the others from running', async () => {
  const { logger, errors } = recordingLogger();
  const shutdown = createShutdown(logger);
  const closed: string[] = [];
  const step = (name: string) => async () => {
    closed.push(name);
    if (name === 'listener') throw new Error('stuck');
  };
  for (const name of ['lock', 'listener', 'gateway']) shutdown.push(name, step(name));
  await Promise.all([shutdown.run(), shutdown.run()]);
  // Fails when the steps run in the order they were added, twice, or end at the first error.
  expect(closed).toEqual(['gateway', 'listener', 'lock']);
  expect(errors).toMatchObject([{ step: 'listener' }]);
});

test('what was opened is closed when the rest cannot be opened', async () => {
  const { logger } = recordingLogger();
  const closed: string[] = [];
  const opened = openWithShutdown(logger, async (shutdown) => {
    shutdown.push('lock', () => void closed.push('lock'));
    throw new Error('the port is taken');
  });
  await expect(opened).rejects.toThrow('the port is taken');
  // Fails when the error leaves before the steps have run.
  expect(closed).toEqual(['lock']);
  expect(await openWithShutdown(logger, async () => 'open')).toBe('open');
});
