import { tmpdir } from 'node:os';
import path from 'node:path';
import { createSilentLogger, createSystemClock } from '@berth/kit';
import { server, start } from '@berth/runtime/contract';
import { createFakeClock } from '@berth/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import { createDockerRuntime } from './run/create-docker-runtime.ts';
import { createDockerHarness, type DockerHarness, testGroupOf, VOLUMES } from './testing/docker-harness.ts';
import { eventually } from './testing/eventually.ts';
import { findTestEngine, skipWithoutEngine } from './testing/test-engine.ts';

const COUNTER = server({ '/': 'globalThis.seen = (globalThis.seen ?? 0) + 1; return globalThis.seen' });

const engine = await findTestEngine();
const suite = 'adoption: docker';
if (!engine) skipWithoutEngine(suite);
else
  describe(suite, () => {
    const open: DockerHarness[] = [];
    const harness = async (options: Parameters<typeof createDockerHarness>[1] = {}): Promise<DockerHarness> => {
      const made = await createDockerHarness(engine, options);
      open.push(made);
      return made;
    };
    afterEach(async () => {
      for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
    });
    const containersOf = (serverId: string) =>
      engine.docker.listContainers({ all: true, filters: { label: [`berth.server=${serverId}`] } });

    test('what a killed server left running goes on under the next one, once, and tells so', async () => {
      const killed = await harness();
      const artifact = await killed.makeArtifact(COUNTER);
      const before = await start(killed, artifact);
      expect(await before.get('/')).toBe(1);
      await before.instance.suspend?.();

      const next = await harness({ serverId: killed.serverId });
      const [left] = await containersOf(killed.serverId);
      expect(left).toBeDefined();
      const after = await start(next, artifact);
      expect(await after.get('/')).toBe(2);
      await eventually('it is told', () => after.output.stderr.includes('The platform restarted'));
      expect((await containersOf(killed.serverId)).map(({ Id }) => Id)).toContain(left?.Id);
      const another = await start(next, artifact);
      expect(await another.get('/')).toBe(1);
      expect(await after.instance.stop({ graceMs: 2_000 })).toMatchObject({ isRequested: true });
      // Both servers remove it here, and the one that comes second does not wait.
      await eventually(
        'it is gone',
        async () => !(await containersOf(killed.serverId)).some(({ Id }) => Id === left?.Id),
      );
    });

    test('one of another plan is not taken, and removed when nobody needs it', async () => {
      const killed = await harness();
      const artifact = await killed.makeArtifact(COUNTER);
      const before = await start(killed, artifact);
      await before.instance.suspend?.();
      const { networks, serverId } = killed;
      const clock = createFakeClock();
      const pinFolder = path.join(tmpdir(), `berth-pins-${serverId}`);
      const own = { groupOf: testGroupOf, pinFolder, volumesFolder: VOLUMES };
      const shared = { engine, networks, serverId, logger: createSilentLogger(), ...own };
      const runtime = await createDockerRuntime({ ...shared, clock });
      expect((await containersOf(serverId)).filter(({ State }) => State === 'running')).toHaveLength(1);
      await clock.elapse(61_000);
      await eventually('it is gone', async () => (await containersOf(serverId)).length === 0);
      expect(await before.instance.exited).toMatchObject({ signal: 'SIGKILL', isRequested: false });
      await runtime.close({ graceMs: 0 });

      const first = await start(killed, artifact);
      const other = await createDockerRuntime({ ...shared, clock: createSystemClock(), isRootReadOnly: true });
      const changed = await start({ ...killed, runtime: other }, artifact);
      expect(await changed.get('/')).toBe(1);
      await other.close({ graceMs: 0 });
      expect(await first.instance.exited).toMatchObject({ isRequested: false });
    });
  });
