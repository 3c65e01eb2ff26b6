import { chmod, copyFile, link, mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { script, server, start } from '@berth/runtime/contract';
import { describe, expect, test } from 'vitest';
import { createMachine } from './testing/machine.ts';
import { createProcessHarness } from './testing/process-harness.ts';
import { createTemporaryFolder } from './testing/temporary-folder.ts';

const isRoot = process.getuid?.() === 0;
const OWNER = { account: 'acme', deployment: 'hello' };

/**
 * Everything is root's and lies below root's home, which no one else may enter: the clone, the Node in it, the data
 * folder, and the first `python3` in PATH. Services have to run all the same, and not as root.
 */
describe.skipIf(!isRoot)('a server in a home that is closed (skipped unless root runs the tests)', () => {
  for (const isolation of ['auto', 'none'] as const) {
    test(`isolation ${isolation}`, async () => {
      await using home = await createTemporaryFolder();
      expect((await stat(home.path)).mode & 0o077).toBe(0);
      const nodePath = join(home.path, 'clone/node_modules/node/bin/node');
      const shims = join(home.path, '.pyenv/shims');
      for (const folder of [dirname(nodePath), shims]) await mkdir(folder, { recursive: true });
      await link(process.execPath, nodePath).catch(() => copyFile(process.execPath, nodePath));
      await writeFile(join(shims, 'python3'), `#!/bin/sh\nexec ${home.path}/missing/python3 "$@"\n`);
      await chmod(join(shims, 'python3'), 0o755);

      await using machine = await createMachine({
        isolation,
        parent: home.path,
        overrides: {
          nodePath,
          homeFolder: home.path,
          protectedFolders: [join(home.path, 'clone')],
          programPath: `${shims}:${process.env['PATH']}`,
        },
      });
      await using harness = await createProcessHarness(machine);
      const { get } = await start(
        harness,
        server({
          '/': `return { uid: process.getuid(), exec: process.execPath, version: process.version, read: fs.existsSync(${JSON.stringify(nodePath)}) }`,
        }),
        { owner: OWNER },
      );
      const answer = (await get('/')) as { uid: number; exec: string; version: string; read: boolean };
      expect(answer.uid).toBeGreaterThanOrEqual(20_000);
      expect(answer).toMatchObject({ version: process.version, read: false });

      expect(await harness.sandbox.findProgram('python3')).not.toBe(join(shims, 'python3'));
      const folder = await harness.makeFolder();
      await harness.sandbox.giveToOwner(folder, OWNER);
      const lines: string[] = [];
      const limits = {
        timeoutMs: 20_000,
        memoryBytes: 2 ** 29,
        cpuMillis: 2_000,
        processes: 100,
        outputBytes: 1e6,
        diskBytes: 1e8,
      };
      const outcome = await harness.sandbox.run({
        owner: OWNER,
        argv: ['npm', 'version', '--json'],
        workingFolder: folder,
        env: {},
        writableFolders: [folder],
        readableFolders: [],
        limits,
        onLine: (line) => void lines.push(line),
      });
      expect(outcome).toEqual({ kind: 'exited', exitCode: 0 });
      expect(JSON.parse(lines.join(''))).toMatchObject({ node: process.version.slice(1) });
    });
  }

  test('a volume that no service can reach is refused by name', async () => {
    await using home = await createTemporaryFolder();
    await using machine = await createMachine({ isolation: 'none', parent: home.path });
    await using harness = await createProcessHarness(machine, { volumesFolder: home.path });
    await mkdir(join(home.path, 'volume'));
    const mounts = [{ volume: 'volume', subPath: '', target: '/mnt/volume', isReadOnly: false }];
    await expect(start(harness, script(''), { mounts })).rejects.toMatchObject({
      code: 'start_failed',
      message: expect.stringContaining('/mnt/volume'),
    });
  });

  test('an artifact that no service can reach any more is refused', async () => {
    await using home = await createTemporaryFolder();
    await using machine = await createMachine({ isolation: 'none', parent: home.path });
    await using harness = await createProcessHarness(machine);
    const artifact = { ...(await harness.makeArtifact(script(''), OWNER)), path: machine.dataFolder };
    await expect(start(harness, artifact)).rejects.toMatchObject({
      code: 'start_failed',
      message: expect.stringContaining('bubblewrap'),
    });
  });
});
