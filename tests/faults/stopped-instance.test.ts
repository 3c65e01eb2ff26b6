import { expect, it } from 'vitest';
import { startBerth } from '../harness/berth.ts';
import { deployed } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { findProcesses } from '../harness/processes.ts';
import { nodeProject } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';

/** A service whose processes are found by the name of its file. */
const service = (file: string) =>
  nodeProject('', {
    [file]: `
      import { createServer } from 'node:http';
      createServer((request, response) => response.end('ok')).listen(process.env.PORT);`,
    'berth.json': JSON.stringify({ start: `node ${file}` }),
  });

// Fails when `spawnSandboxed` doesn't wake the bubblewrap outside: the server waits for its end for ever.
it.skipIf(process.platform !== 'linux')('a stopped instance does not keep the server from ending', async () => {
  await using berth = await startBerth({ env: { BERTH_RUNTIME: 'process' } });
  const name = uniqueName('stopped');
  const file = `${name}-server.js`;
  await deployed(berth, name, { files: service(file) });
  expect((await request(berth, name, '/')).text).toBe('ok');
  const stopped = findProcesses(file).map(({ pid }) => pid);
  expect(stopped.length).toBeGreaterThan(0);
  for (const pid of stopped) process.kill(pid, 'SIGSTOP');
  expect(await berth.stop()).toEqual({ code: 0, signal: null });
  expect(findProcesses(file)).toEqual([]);
});
