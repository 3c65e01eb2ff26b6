import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createSilentLogger, createSystemClock } from '@berth/kit';
import { describeCommandSandbox } from '@berth/runtime/contract';
import { createConfinement, createProcessSandbox } from '@berth/runtime-process';
import { afterAll } from 'vitest';
import { type CallMessage, createCalls } from './calls.ts';
import { createPortPair } from './port-pair.test-support.ts';
import { createRemoteSandbox, type SandboxHandlers, sandboxHandlers } from './sandbox-calls.ts';

const clock = createSystemClock();
const logger = createSilentLogger();
const dataFolder = await mkdtemp(path.join(tmpdir(), 'berth-sandbox-calls-'));
const confinement = await createConfinement({
  dataFolder,
  clock,
  logger,
  programPath: process.env['PATH'] ?? '',
  homeFolder: process.env['HOME'] ?? '/',
  nodePath: process.execPath,
});
afterAll(async () => {
  await confinement.close();
  await rm(dataFolder, { recursive: true, force: true });
  await rm(confinement.workRoot, { recursive: true, force: true });
});

const isUnprotected = !confinement.isSandboxed && !confinement.hasUsers;

describeCommandSandbox('in another process', {
  async create() {
    const [near, far] = createPortPair<CallMessage>();
    const sandbox = await createProcessSandbox({ confinement, clock, logger });
    createCalls<Record<never, never>>(far, sandboxHandlers(sandbox));
    return {
      sandbox: createRemoteSandbox(createCalls<SandboxHandlers>(near, {})),
      async makeFolder() {
        const folder = path.join(confinement.workRoot, 'builds', crypto.randomUUID());
        await mkdir(folder, { recursive: true });
        return folder;
      },
      async [Symbol.asyncDispose]() {
        near.close();
      },
    };
  },
  skip: isUnprotected
    ? [
        {
          reason: "commands run as the server's own user, who may write all that it may",
          tests: [
            'a readable folder can be read and not written',
            'a sealed folder can be read by its owner, hidden files and programs too, and not changed',
          ],
        },
      ]
    : [],
});
