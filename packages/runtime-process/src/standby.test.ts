import { chmod, chown, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { server, start } from '@berth/runtime/contract';
import { afterAll, describe, expect, test } from 'vitest';
import { eventually } from './testing/eventually.ts';
import { createLevels } from './testing/levels.ts';
import { logger } from './testing/machine.ts';
import { createProcessHarness } from './testing/process-harness.ts';

const OWNER = { account: 'acme', deployment: 'hello' };
const PROGRAM = server({
  '/': `return { folder: process.cwd(), port: process.env.PORT, name: process.env.NAME, files: fs.readdirSync('.') }`,
  '/write': `fs.writeFileSync(process.env.FILE ?? 'file', 'x'); return 1`,
});
interface Answer {
  readonly folder: string;
  readonly port: string;
  readonly name: string;
  readonly files: readonly string[];
}

for (const { name, machine } of await createLevels()) {
  const { confinement } = machine;
  afterAll(() => machine[Symbol.asyncDispose]());
  /** Names of the private folders of instances that run and of those that are ready to. */
  const folders = async (): Promise<string[]> => readdir(join(confinement.workRoot, 'run'));

  /** A runtime that says when it is ready for the next start. */
  async function createHarness() {
    let ready = Promise.withResolvers<void>();
    const debug = (_fields: unknown, message: string): void => {
      if (message === 'ready for the next start') ready.resolve();
    };
    const harness = await createProcessHarness(machine, { standbyDelayMs: 100, logger: { ...logger, debug } });
    return {
      ...harness,
      /** The folder of the next start. */
      async awaitStandby(known: string): Promise<string> {
        await ready.promise;
        ready = Promise.withResolvers<void>();
        return (await folders()).find((folder) => folder !== known) ?? '';
      },
    };
  }

  describe(`the next start: ${name}`, () => {
    test('finds everything prepared, and nothing of the one before', async () => {
      await using harness = await createHarness();
      const artifact = await harness.makeArtifact(PROGRAM, OWNER);
      const first = await start(harness, artifact, { env: { NAME: 'one' } });
      const { folder } = (await first.get('/')) as Answer;
      await first.get('/write');
      const standby = await harness.awaitStandby(basename(dirname(folder)));
      await first.instance.stop();
      // It waits, and does not run.
      expect(await folders()).toEqual([standby]);
      const second = await start(harness, artifact, { env: { NAME: 'one' } });
      const answer = (await second.get('/')) as Answer;
      expect(basename(dirname(answer.folder))).toBe(standby);
      expect(answer).toMatchObject({ name: 'one', files: ['main.js'], port: String(second.instance.address.port) });
      expect(await second.instance.stop()).toMatchObject({ signal: 'SIGTERM', isRequested: true });
    });

    test('with another environment it is another one', async () => {
      await using harness = await createHarness();
      const artifact = await harness.makeArtifact(PROGRAM, OWNER);
      const first = await start(harness, artifact, { env: { NAME: 'old' } });
      const { folder } = (await first.get('/')) as Answer;
      const standby = await harness.awaitStandby(basename(dirname(folder)));
      const second = await start(harness, artifact, { env: { NAME: 'new' } });
      expect(await second.get('/')).toMatchObject({ name: 'new' });
      await eventually('the other is gone', async () => !(await folders()).includes(standby));
    });

    test('is gone with its owner and with its runtime', async () => {
      await using harness = await createHarness();
      const artifact = await harness.makeArtifact(PROGRAM, OWNER);
      const first = await start(harness, artifact);
      const { folder } = (await first.get('/')) as Answer;
      await harness.awaitStandby(basename(dirname(folder)));
      await first.instance.stop();
      if (confinement.hasUsers) {
        await harness.runtime.forget(OWNER);
        expect(await folders()).toEqual([]);
      }
      await harness.runtime.close();
      expect(await folders()).toEqual([]);
    });

    // Chance gives the new folder the inode number of the old one, which was not shared with the group: as here.
    test.runIf(confinement.hasUsers)('a volume that was taken from its owner meanwhile is given back', async () => {
      await using harness = await createHarness();
      const { path, source, ...volume } = await harness.makeVolume();
      const spec = { env: { FILE: join(path, 'file') }, mounts: [{ ...volume, isReadOnly: false }] };
      const artifact = await harness.makeArtifact(PROGRAM, OWNER);
      const first = await start(harness, artifact, spec);
      const { folder } = (await first.get('/')) as Answer;
      await harness.awaitStandby(basename(dirname(folder)));
      await first.instance.stop();
      await chown(source, 0, 0);
      await chmod(source, 0o755);
      const second = await start(harness, artifact, spec);
      await second.get('/write');
      expect(await readdir(source)).toEqual(['file']);
    });

    test('a volume that was replaced meanwhile is the new one', async () => {
      await using harness = await createHarness();
      const { path, source, ...volume } = await harness.makeVolume();
      const mounts = [{ ...volume, isReadOnly: false }];
      const env = { FILE: join(path, 'file') };
      const artifact = await harness.makeArtifact(PROGRAM, OWNER);
      const first = await start(harness, artifact, { env, mounts });
      const { folder } = (await first.get('/')) as Answer;
      await harness.awaitStandby(basename(dirname(folder)));
      await first.instance.stop();
      await rm(source, { recursive: true });
      await mkdir(source);
      await writeFile(join(source, 'new'), '');
      const second = await start(harness, artifact, { env, mounts });
      await second.get('/write');
      expect((await readdir(source)).sort()).toEqual(['file', 'new']);
    });
  });
}
