import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readProcesses } from '@berth/runtime/drivers';
import { afterEach, describe, expect, test } from 'vitest';
import { createConfinement } from './confinement/create-confinement.ts';
import { makeFolder } from './host/make-folder.ts';
import { eventually } from './testing/eventually.ts';
import { createLevels } from './testing/levels.ts';
import { confinementOptions } from './testing/machine.ts';
import { createTemporaryFolder } from './testing/temporary-folder.ts';

const SERVER = fileURLToPath(new URL('./testing/doomed-server.ts', import.meta.url));

/** The processes that have this in their command line, the server itself left out. */
function findByWord(word: string, server: ChildProcess): number[] {
  return readProcesses()
    .filter(({ pid, state }) => pid !== server.pid && state !== 'Z' && readCommandLine(pid).includes(word))
    .map(({ pid }) => pid);
}

function readCommandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

for (const { name, machine } of await createLevels()) {
  const isolation = machine.confinement.isSandboxed ? 'auto' : 'none';
  await machine[Symbol.asyncDispose]();

  describe(`a server that dies: ${name}`, () => {
    const servers: ChildProcess[] = [];
    afterEach(() => {
      for (const server of servers.splice(0)) server.kill('SIGKILL');
    });

    /** Runs until everything of it is up. */
    async function startServer(folder: string, word: string): Promise<ChildProcess> {
      const dataFolder = join(folder, 'data');
      await mkdir(dataFolder, { recursive: true, mode: 0o700 });
      const server = spawn(process.execPath, [SERVER, dataFolder, folder, isolation, word], {
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true,
      });
      servers.push(server);
      const died = once(server, 'exit').then(() => Promise.reject(new Error('the server did not start')));
      await Promise.race([once(server.stdout, 'data'), died]);
      died.catch(() => {});
      return server;
    }

    test('killed, it takes all of its programs with it', async () => {
      await using folder = await createTemporaryFolder();
      await makeFolder(folder.path, 0o711);
      const word = `berth-word-${crypto.randomUUID()}`;
      const server = await startServer(folder.path, word);
      // The instance, the command, two children of each; in a sandbox, two processes more for each of the two.
      expect(findByWord(word, server).length).toBeGreaterThanOrEqual(6);
      // And the instance that is prepared for the next start.
      if (isolation === 'auto') await eventually('a standby', () => findByWord(word, server).length > 6 + 2 * 2);
      server.kill('SIGKILL');
      await once(server, 'exit');
      await eventually('all are gone', () => findByWord(word, server).length === 0);
      // The guardian, too, whose command line holds the data folder.
      await eventually('the guardian is gone', () => findByWord(folder.path, server).length === 0);
    });

    test('stopped in its group and killed, it takes them all the same', async () => {
      await using folder = await createTemporaryFolder();
      await makeFolder(folder.path, 0o711);
      const word = `berth-word-${crypto.randomUUID()}`;
      const server = await startServer(folder.path, word);
      process.kill(-(server.pid ?? 0), 'SIGKILL');
      await eventually('all are gone', () => findByWord(word, server).length === 0);
    });

    test('the next one on its data folder begins with nothing of it', async () => {
      await using folder = await createTemporaryFolder();
      await makeFolder(folder.path, 0o711);
      const word = `berth-word-${crypto.randomUUID()}`;
      const server = await startServer(folder.path, word);
      const dataFolder = join(folder.path, 'data');
      // With the guardian gone first, some of it lives on.
      for (const pid of findByWord('guardian-main', server)) {
        if (readCommandLine(pid).includes(dataFolder)) process.kill(pid, 'SIGKILL');
      }
      server.kill('SIGKILL');
      await once(server, 'exit');
      const options = { ...confinementOptions(dataFolder), isolation, publicFolders: [folder.path] } as const;
      const confinement = await createConfinement(options);
      expect(findByWord(word, server)).toEqual([]);
      expect(await readdir(join(confinement.workRoot, 'run'))).toEqual([]);
      expect(await readdir(join(dataFolder, 'runtime/running'))).toEqual([]);
      await confinement.close();
      expect(existsSync(join(confinement.workRoot, 'run'))).toBe(false);
    });
  });
}
