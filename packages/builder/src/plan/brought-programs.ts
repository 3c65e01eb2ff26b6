import { type Command, createCommand } from './command.ts';
import type { Plan } from './plan.ts';

/** Where programs go that npm brings for a project: inside the artifact, so that the service runs on them wherever it is. */
const FOLDER = '.berth/tools';

/**
 * The parts of a plan by which a project gets programs of its own, such as another Node than the server's.
 * @param packages As npm takes them, e.g. `npm@10`.
 * @param missing What to say when the registry has no such version.
 */
export function bringPrograms(packages: readonly string[], missing: string) {
  const install: Command = {
    ...createCommand('npm', 'install', '--prefix', FOLDER, '--no-save', '--no-package-lock', ...packages),
    // The platform in the name of Node's packages says nothing to people.
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
