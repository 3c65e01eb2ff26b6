import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSilentLogger, createSystemClock } from '@berth/kit';
import type { CommandSpec, Owner } from '@berth/runtime';
import { createConfinement, createProcessSandbox } from '@berth/runtime-process';
import { createGit, type Git, type GitOptions } from '../create-git.ts';

export const OWNER: Owner = { account: 'account_one', deployment: 'shop' };

/** Git in the sandbox of this machine. */
export interface GitFixture extends AsyncDisposable {
  readonly git: Git;
  readonly workFolder: string;
  /** A folder for the test itself. */
  readonly scratch: string;
  /** The commands that ran in the sandbox. */
  readonly commands: readonly CommandSpec[];
}

export async function createGitFixture(options: Partial<GitOptions> = {}): Promise<GitFixture> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'berth-git-')));
  const dataFolder = join(root, 'data');
  const scratch = join(root, 'scratch');
  for (const folder of [dataFolder, scratch]) await mkdir(folder, { mode: 0o700 });
  const [clock, logger] = [createSystemClock(), createSilentLogger()];
  const confinement = await createConfinement({
    ...{ dataFolder, clock, logger, publicFolders: [root], nodePath: process.execPath },
    programPath: process.env['PATH'] ?? '',
    homeFolder: process.env['HOME'] ?? '/',
  });
  const sandbox = await createProcessSandbox({ confinement, clock, logger });
  const commands: CommandSpec[] = [];
  const workFolder = join(confinement.workRoot, 'git');
  const git = createGit({
    sandbox: {
      ...sandbox,
      run: (spec, runOptions) => {
        commands.push(spec);
        return sandbox.run(spec, runOptions);
      },
    },
    ...{ workFolder, isAllowed: () => true },
    ...options,
  });
  return {
    ...{ git, workFolder, scratch, commands },
    async [Symbol.asyncDispose]() {
      await confinement.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}
