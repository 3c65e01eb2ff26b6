import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { findHome } from '@berth/kit/node';
import type { CommandSandbox, Owner } from '@berth/runtime';
import { type Confinement, createConfinement, createProcessSandbox, prepareWorkRoot } from '@berth/runtime-process';
import type { PartOptions } from '../context/part-options.ts';
import { createLazySandbox } from './lazy-sandbox.ts';
import type { CommandPlace } from './machine.ts';

/**
 * Returns where Git runs on a machine whose services run in containers: in a sandbox of bubblewrap, which is prepared with the first
 * push. Its files are in a folder of their own. Without bubblewrap, nothing runs there.
 */
export async function openGitPlace(options: PartOptions): Promise<CommandPlace> {
  const { config, environment, clock, logger, shutdown } = options;
  const dataFolder = path.resolve(config.dataFolder, 'git');
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  const workRoot = await prepareWorkRoot({ dataFolder, needsPublic: false });
  let confinement: Confinement | undefined;
  shutdown.push('sandbox of Git', () => confinement?.close());
  const sandbox = createLazySandbox(async () => {
    confinement = await createConfinement({
      ...{ dataFolder, clock, logger, nodePath: process.execPath },
      protectedFolders: [path.resolve(config.dataFolder)],
      programPath: environment['PATH'] ?? '',
      homeFolder: findHome(),
      isolation: config.isolation,
      networks: 'shared',
      blockedRanges: config.blockedRanges,
    });
    if (!confinement.isSandboxed) return undefined;
    return forAccounts(await createProcessSandbox({ confinement, clock, logger }));
  });
  return { sandbox, workRoot };
}

/** Runs commands as a user for each account. Users of deployments would have to be deleted with them. */
function forAccounts(sandbox: CommandSandbox): CommandSandbox {
  const of = ({ account }: Owner): Owner => ({ account, deployment: 'git' });
  return {
    ...sandbox,
    run: (spec, options) => sandbox.run({ ...spec, owner: of(spec.owner) }, options),
    giveToOwner: (folder, owner) => sandbox.giveToOwner(folder, of(owner)),
    seal: (folder, owner, options) => sandbox.seal(folder, of(owner), options),
  };
}
