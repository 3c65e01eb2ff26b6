import { defineCommand } from '../../command/command.ts';
import { YES_OPTION } from '../../command/define-removal.ts';
import { restoreRevision } from '../../deploy/restore-revision.ts';
import { LINKED_WORD, requireName } from '../../link/linked-name.ts';

/** `berth rollback`. */
export const rollback = defineCommand({
  name: 'rollback',
  summary: 'Roll back to an earlier revision, without a build',
  description:
    'Restores the build, settings, schedule, volume mounts and variables of that revision. ' +
    'Lists the changes, and asks for confirmation on a terminal.',
  words: LINKED_WORD,
  options: { '--revision <revision>': 'Revision; the previous one by default', ...YES_OPTION },
  examples: [
    ['berth rollback my-app', 'to the previous revision'],
    ['berth rollback my-app --revision my-app-00003-kqz', 'to this revision; `berth get` lists them'],
  ],
  async run({ words: [word], options: { revision, yes } }, context) {
    const name = await requireName(word, context);
    return restoreRevision({ name, revision, yes, question: (to) => `Roll ${name} back to ${to}?` }, context);
  },
});
