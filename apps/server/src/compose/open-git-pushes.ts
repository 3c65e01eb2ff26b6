import path from 'node:path';
import { parseMemory } from '@berth/contract';
import { createGitPushes, type GitPushes } from '@berth/control';
import { createGit } from '@berth/git';
import type { Config } from '../config/read-config.ts';
import type { Machine } from '../machine/machine.ts';

type Options = Omit<Parameters<typeof createGitPushes>[0], 'git' | 'reservedNames'> & {
  readonly config: Config;
  readonly machine: Pick<Machine, 'builds' | 'workRoot'>;
};

/** Opens deploys by `git push`. Git runs in the sandbox of builds; without one, pushes are answered with 501. */
export function openGitPushes({ config, machine: { builds, workRoot }, ...options }: Options): GitPushes {
  const packBytes = config.gitLimit === undefined ? undefined : parseMemory(config.gitLimit);
  const git = createGit({
    sandbox: builds.kind === 'folders' ? builds.sandbox : undefined,
    workFolder: path.join(workRoot, 'git'),
    limits: packBytes === undefined ? {} : { packBytes },
  });
  return createGitPushes({ ...options, git, reservedNames: config.reservedNames });
}
