import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createConfinement } from '../confinement/create-confinement.ts';
import { createProcessRuntime } from '../create-process-runtime.ts';
import { createProcessSandbox } from '../create-process-sandbox.ts';
import { makeFolder } from '../host/make-folder.ts';
import { clock, confinementOptions, logger } from './machine.ts';

/**
 * A server of its own process, there to be killed: runs an instance and a command, each with a child, and a daemon that
 * left its session. Arguments: data folder, public folder, isolation, a word that all their command lines hold. Prints
 * `up` when all six run.
 */
const [dataFolder = '', publicFolder = '', isolation = 'auto', word = ''] = process.argv.slice(2);
const owner = { account: 'acme', deployment: 'doomed' };

const confinement = await createConfinement({
  ...confinementOptions(dataFolder),
  isolation: isolation === 'none' ? 'none' : 'auto',
  publicFolders: [publicFolder],
});
const shared = { confinement, clock, logger };
const runtime = await createProcessRuntime({
  ...shared,
  artifactFolder: join(confinement.workRoot, 'artifacts'),
  volumesFolder: join(confinement.workRoot, 'volumes'),
  standbyDelayMs: 100,
});
const sandbox = await createProcessSandbox(shared);

const sleeper = `console.log('up'); process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);`;
const program = `
  const { spawn } = require('node:child_process');
  const start = (options) => spawn(process.execPath, ['-e', ${JSON.stringify(sleeper)}, '${word}'], { stdio: 'inherit', ...options });
  start({});
  start({ detached: true }).unref();
  ${sleeper}`;

await makeFolder(join(confinement.workRoot, 'artifacts'), 0o711);
const artifact = join(confinement.workRoot, 'artifacts/one');
const folder = join(confinement.workRoot, 'artifacts/build');
for (const path of [artifact, folder]) await mkdir(path);
await writeFile(join(artifact, 'main.js'), program);
await sandbox.seal(artifact, owner);
await sandbox.giveToOwner(folder, owner);

let running = 0;
const count = (text: string): void => {
  running += text.split('up').length - 1;
  if (running === 6) process.stdout.write('up\n');
};
await runtime.start({
  instanceId: 'i_doomed' as never,
  owner,
  revision: 'r',
  artifact: { kind: 'folder', path: 'one', command: ['node', 'main.js', word], env: {}, sharedFolders: [] },
  env: {},
  port: 8080,
  memoryBytes: 2 ** 29,
  cpuMillis: 2_000,
  mounts: [],
  output: (_stream, chunk) => count(Buffer.from(chunk).toString()),
});
await sandbox.run({
  owner,
  argv: ['node', '-e', program, word],
  workingFolder: folder,
  env: {},
  writableFolders: [folder],
  readableFolders: [],
  limits: {
    ...{ timeoutMs: 60_000, memoryBytes: 2 ** 29, cpuMillis: 2_000 },
    ...{ processes: 200, outputBytes: 2 ** 20, diskBytes: 2 ** 25 },
  },
  onLine: count,
});
