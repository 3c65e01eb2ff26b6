import { createError } from '@berth/contract';
import { waitUntil } from '@berth/testkit';
import { expect, it } from 'vitest';
import { expectSound } from './testing/invariants.ts';
import { createPlatform, deployForm, type Platform, readEvents } from './testing/platform.ts';

const RELEASE = { title: 'migrate', command: ['migrate'] };

/** A platform whose projects have a release command. */
async function createReleasing(): Promise<Platform> {
  const platform = await createPlatform();
  platform.builder.setRelease(RELEASE);
  return platform;
}

/** What the gateway was asked for, without the random end of revisions' names. */
const callsOf = ({ run }: Platform) =>
  run.gateway.calls.filter((call) => !call.startsWith('register')).map((call) => call.replace(/-[a-z0-9]+$/, ''));

it('runs before the traffic moves, and what it prints is in the stream', async () => {
  await using platform = await createReleasing();
  await platform.boot(({ gateway }) =>
    gateway.whenReleasing((_target, { onProgress, onOutput }) => {
      onProgress?.('Running the release command: migrate');
      onOutput?.('3 migrations');
    }),
  );
  const events = await platform.deploy('shop');
  expect(callsOf(platform)).toEqual(['release shop-00001', 'activate shop-00001']);
  const running = events.find(({ message }) => message === 'Running the release command: migrate');
  expect(running).toMatchObject({ status: 'DEPLOYING' });
  expect(running).not.toHaveProperty('log');
  expect(events).toContainEqual(expect.objectContaining({ status: 'DEPLOYING', message: '3 migrations', log: true }));
});

// Fails when what `release` throws doesn't keep `activate` from being called.
it('that fails ends the deploy, and what served keeps serving', async () => {
  await using platform = await createReleasing();
  await platform.boot();
  await platform.deploy('shop');
  platform.run.gateway.whenReleasing(() => {
    throw createError('start_failed', 'The release command "migrate" failed with exit code 1.');
  });
  const events = await platform.deploy('shop');
  expect(events.at(-1)).toMatchObject({
    status: 'ERROR',
    code: 'start_failed',
    message: expect.stringMatching(/"migrate" failed with exit code 1\. shop-00001-\w+ keeps serving\./),
  });
  expect(callsOf(platform).at(-1)).toBe('release shop-00002');
  await expectSound(platform);
});

// Fails when `releaseRevision` runs for a rollback, or not for a change of environment.
it('runs for a change of environment and not for a rollback', async () => {
  await using platform = await createReleasing();
  await platform.boot();
  await platform.deploy('shop');
  const set = { json: { deployment_name: 'shop', set: { DATABASE: 'x' } } };
  await (await platform.call('POST', '/v1/env/set', set)).text();
  await waitUntil('it is set', () => callsOf(platform).includes('activate shop-00002'));
  await (await platform.call('POST', '/v1/deployment/rollback', { json: { name: 'shop' } })).text();
  await waitUntil('it is back', () => callsOf(platform).length === 5);
  expect(callsOf(platform).slice(2)).toEqual(['release shop-00002', 'activate shop-00002', 'activate shop-00001']);
});

/** A deploy that hangs in a step of the gateway when the platform is killed; the stream of it after the next start. */
async function killIn(platform: Platform, step: 'release' | 'activate') {
  await platform.boot(({ gateway }) => {
    const hang = () => new Promise<void>(() => {});
    if (step === 'release') gateway.whenReleasing(hang);
    else gateway.whenActivating(hang);
  });
  await platform.call('POST', '/v1/deploy', { form: deployForm('shop') });
  await waitUntil(`it hangs in ${step}`, () => callsOf(platform).includes(`${step} shop-00001`));
  const { id } = await platform.run.db.selectFrom('deploys').select('id').executeTakeFirstOrThrow();
  await platform.kill();
  await platform.boot();
  return readEvents(await platform.call('GET', `/v1/deploys/${id}/events`));
}

// Fails when `noteRelease` isn't called, or `isReleased` isn't looked at.
it('that ended well does not run again after a crash of the platform', async () => {
  await using platform = await createReleasing();
  expect((await killIn(platform, 'activate')).at(-1)?.status).toBe('DONE');
  expect(callsOf(platform)).toEqual(['activate shop-00001']);
});

it('that was cut off by a crash of the platform runs again', async () => {
  await using platform = await createReleasing();
  expect((await killIn(platform, 'release')).at(-1)?.status).toBe('DONE');
  expect(callsOf(platform)).toEqual(['release shop-00001', 'activate shop-00001']);
});
