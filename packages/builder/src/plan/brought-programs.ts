import { type Command, createCommand } from './command.ts';
import type { Plan } from './plan.ts';

/** Folder of programs that npm installs for a project: inside the artifact, so that the service can run anywhere. */
const FOLDER = '.berth/tools';

/**
 * Returns the parts of a plan that install programs for a project, such as another Node than the server's.
 * @param packages npm packages, e.g. `npm@10`.
 * @param missing Error message if the registry has no such version.
 */
export function bringPrograms(packages: readonly string[], missing: string) {
  const install: Command = {
    ...createCommand('npm', 'install', '--prefix', FOLDER, '--no-save', '--no-package-lock', ...packages),
    // The platform in the names of Node's packages is irrelevant to users.
    title: `npm install ${packages.join(' ').replace(/^node-\w+-\w+@/, 'node@')}`,
    // Sources: npm's error codes ETARGET and E404.
    refusal: { afterOutput: ['ETARGET', 'E404'], message: missing },
  };
  return { install, folder: FOLDER, toolFolders: [`${FOLDER}/node_modules/.bin`] } satisfies {
    install: Command;
    folder: string;
    toolFolders: Plan['toolFolders'];
  };
}
