import { createError } from '@berth/contract';
import { describe, expect, it } from 'vitest';
import { expectSound } from './testing/invariants.ts';
import { createPlatform, deployForm, type Platform } from './testing/platform.ts';

const FIELDS = { volumes: '{"/data":"records"}', schedule: '*/5 * * * *' };

/** What happens to a name that serves; the platform dies somewhere in it. */
interface Scenario {
  readonly title: string;
  act(platform: Platform, name: string): Promise<Response>;
}

const SCENARIOS: readonly Scenario[] = [
  {
    title: 'a deploy that succeeds',
    act: (platform, name) => platform.call('POST', '/v1/deploy', { form: deployForm(name, { fields: FIELDS }) }),
  },
  {
    title: 'a deploy whose build fails',
    act: (platform, name) => platform.call('POST', '/v1/deploy', { form: deployForm(name, { archive: 'bad build' }) }),
  },
  {
    title: 'a deploy that does not start',
    act: (platform, name) =>
      platform.call('POST', '/v1/deploy', { form: deployForm(name, { fields: { port: '666' } }) }),
  },
  {
    title: 'a change of environment',
    act: (platform, name) =>
      platform.call('POST', '/v1/env/set', { json: { deployment_name: name, set: { B: '2' }, unset: ['A'] } }),
  },
  {
    title: 'a rollback',
    act: (platform, name) => platform.call('POST', '/v1/deployment/rollback', { json: { name } }),
  },
  {
    title: 'a deletion',
    act: (platform, name) => platform.call('POST', '/v1/deployment/delete', { json: { name } }),
  },
];

function setBehaviour({ builder }: Platform): void {
  builder.whenBuilding(async ({ archive, onLine }) => {
    await onLine('compiling', true);
    if (archive.sizeBytes === 'bad build'.length) throw createError('build_failed', 'npm ci failed with exit code 1.');
  });
}

/** Boots, with what the gateway does in every scenario. */
const boot = (platform: Platform, dieAt = Number.POSITIVE_INFINITY) =>
  platform.boot(({ gateway, moments }) => {
    moments.dieAt(dieAt);
    gateway.whenActivating((target) => {
      if (target.port === 666) throw createError('start_failed', 'The service exited with code 1 before it listened.');
    });
  });

describe('a platform that dies', () => {
  it.each(SCENARIOS)('at any moment of $title is sound after the next start', { timeout: 120_000 }, async ({ act }) => {
    let moment = 0;
    for (let hasEnded = false; !hasEnded; moment++) {
      await using platform = await createPlatform();
      setBehaviour(platform);
      await boot(platform);
      await platform.deploy('app', { fields: { volumes: '{"/old":"old"}' } });
      await platform.deploy('app');
      const { moments } = platform.run;
      moments.dieAt(moments.count + moment + 1);
      const acted = act(platform, 'app').then((answer) => answer.text());
      acted.catch(() => {});
      hasEnded = await Promise.race([
        acted.then(
          () => !moments.isDead,
          () => false,
        ),
        moments.died.then(() => false),
      ]);
      await platform.kill();
      await boot(platform);
      await expectSound(platform);
      // And it goes on: the next deploy is like any other.
      if (moment % 10 === 0) expect((await platform.deploy('app')).at(-1)?.status).toBe('DONE');
    }
    // A scenario that counts no moments would test nothing.
    expect(moment).toBeGreaterThan(10);
  });

  it('again and again while it starts is sound in the end', { timeout: 120_000 }, async () => {
    await using platform = await createPlatform();
    setBehaviour(platform);
    await boot(platform);
    await platform.deploy('app', { fields: FIELDS });
    const { moments } = platform.run;
    moments.dieAt(moments.count + 25);
    const form = deployForm('app', { fields: FIELDS });
    await Promise.race([platform.call('POST', '/v1/deploy', { form }), moments.died]);
    await moments.died;
    for (let moment = 1; moment < 40; moment += 3) {
      await platform.kill();
      await boot(platform, moment);
    }
    await platform.kill();
    await boot(platform);
    await expectSound(platform);
    expect((await platform.deploy('app')).at(-1)?.status).toBe('DONE');
  });
});
