import { createError } from '@berth/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { expectSound } from './testing/invariants.ts';
import { createPlatform, deployForm, type Platform } from './testing/platform.ts';
import { createTally } from './testing/tally.ts';

/** One thing that users, or fate, do. */
type Step =
  | {
      readonly kind: 'deploy';
      readonly name: string;
      readonly archive: 'good' | 'bad build' | 'slowly';
      readonly port: string;
    }
  | { readonly kind: 'environment'; readonly name: string; readonly value: string }
  | { readonly kind: 'redeploy'; readonly name: string; readonly port: string; readonly schedule: string }
  | { readonly kind: 'rollback' | 'delete'; readonly name: string }
  | { readonly kind: 'cancel'; readonly which: number }
  | { readonly kind: 'pause'; readonly ms: number }
  | { readonly kind: 'crash' };

const name = fc.constantFrom('app', 'web');
const steps = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('deploy' as const),
        name,
        archive: fc.constantFrom('good' as const, 'bad build' as const, 'slowly' as const),
        port: fc.constantFrom('80', '81', '666'),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('environment' as const), name, value: fc.constantFrom('1', '2') }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('redeploy' as const),
        name,
        port: fc.constantFrom('', '82', '666'),
        schedule: fc.constantFrom('', '0 4 * * *'),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('rollback' as const, 'delete' as const), name }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), which: fc.nat(5) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('pause' as const), ms: fc.nat(8) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash' as const) }) },
  ),
  { minLength: 1, maxLength: 14 },
);

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Takes a step; what it sends is answered while the next ones are taken. */
async function take(platform: Platform, step: Step, boot: () => Promise<void>): Promise<Promise<Response>[]> {
  const send = (route: string, json: unknown) => [platform.call('POST', route, { json })];
  switch (step.kind) {
    case 'deploy': {
      const form = deployForm(step.name, { archive: step.archive, fields: { port: step.port } });
      return [platform.call('POST', '/v1/deploy', { form })];
    }
    case 'environment':
      return send('/v1/env/set', { deployment_name: step.name, set: { KEY: step.value } });
    case 'redeploy':
      return send('/v1/deployment/redeploy', { name: step.name, port: step.port, schedule: step.schedule });
    case 'rollback':
    case 'delete':
      return send(`/v1/deployment/${step.kind}`, { name: step.name });
    case 'cancel': {
      const deploys = await platform.run.db.selectFrom('deploys').select('id').orderBy('number', 'desc').execute();
      const id = deploys[step.which]?.id;
      return id === undefined ? [] : [platform.call('POST', `/v1/deploys/${id}/cancel`)];
    }
    case 'pause':
      await pause(step.ms);
      return [];
    case 'crash':
      await platform.kill();
      await boot();
      return [];
  }
}

it('is sound after any sequence of deploys, changes, cancels, deletions and crashes', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      await using platform = await createPlatform();
      const builds = createTally();
      platform.builder.whenBuilding(({ owner, archive }, signal) =>
        builds.count(owner.deployment, signal, async () => {
          if (archive.sizeBytes === 'bad build'.length) throw createError('build_failed', 'It does not build.');
          await pause(archive.sizeBytes === 'slowly'.length ? 6 : 1);
        }),
      );
      const starts = createTally();
      const boot = async () => {
        builds.reset();
        starts.reset();
        await platform.boot(({ gateway }) =>
          gateway.whenActivating(({ deployment, port }, { signal }) =>
            starts.count(deployment, signal, async () => {
              await pause(1);
              if (port === 666) throw createError('start_failed', 'It does not start.');
            }),
          ),
        );
      };
      await boot();
      let unanswered: Promise<Response>[] = [];
      for (const step of sequence) {
        const sent = await take(platform, step, boot);
        // A process that died answers nothing.
        unanswered = step.kind === 'crash' ? [] : [...unanswered, ...sent];
      }
      await Promise.all(unanswered);
      await expectSound(platform);
      // R1: one at a time for a name; builds are bounded over all names.
      expect(Math.max(builds.peakOfOne, starts.peakOfOne)).toBeLessThanOrEqual(1);
      expect(builds.peak).toBeLessThanOrEqual(2);
    }),
    { numRuns: 60 },
  );
});
