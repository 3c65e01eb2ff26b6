import { defineCommand } from '../../command/command.ts';
import { YES_OPTION } from '../../command/define-removal.ts';
import { restoreRevision } from '../../deploy/restore-revision.ts';

/** `berth promote`. */
export const promote = defineCommand({
  name: 'promote',
  summary: 'Make a revision live, earlier or later, without a build',
  description:
    'Does what `berth rollback --revision` does, for any revision that has served: its build, settings, schedule, volume ' +
    'mounts and variables apply. Lists the changes, and asks for confirmation on a terminal.',
  words: { '<name>': 'Name of the deployment', '<revision>': 'Revision; `berth get` lists them' },
  options: YES_OPTION,
  examples: [
    ['berth promote my-app my-app-00004-kqz', 'forward again after a rollback'],
    ['berth promote my-app my-app-00004-kqz -y', 'without confirmation, for scripts'],
  ],
  run: ({ words: [name = '', revision = ''], options: { yes } }, context) =>
    restoreRevision({ name, revision, yes, question: (to) => `Make ${to} live?` }, context),
});
