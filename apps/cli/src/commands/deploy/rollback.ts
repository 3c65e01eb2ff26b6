import { defineCommand } from '../../command/command.ts';
import { confirmLoss } from '../../command/confirm-loss.ts';
import { YES_OPTION } from '../../command/define-removal.ts';
import { describeRollback } from '../../deploy/describe-rollback.ts';
import { showEvents } from '../../deploy/show-events.ts';
import { cleanText } from '../../output/clean-text.ts';

/** `berth rollback`. */
export const rollback = defineCommand({
  name: 'rollback',
  summary: 'Roll back to an earlier revision, without a build',
  description:
    'Restores the build, settings, schedule, volume mounts and variables of that revision. ' +
    'Lists the changes, and asks for confirmation on a terminal.',
  words: { '<name>': 'Name of the deployment' },
  options: { '--revision <revision>': 'Revision; the previous one by default', ...YES_OPTION },
  examples: [
    ['berth rollback my-app', 'to the previous revision'],
    ['berth rollback my-app --revision my-app-00003', 'to this revision; `berth get` lists them'],
  ],
  async run({ words: [name = ''], options }, context) {
    const { output, prompts } = context;
    const client = await context.connect();
    const preview = await client.get('/v1/deployment/rollback/preview', {
      params: { query: { name, ...(options.revision === undefined ? {} : { revision: options.revision }) } },
    });
    const changes = describeRollback(preview).map((line) => cleanText(line));
    // Scripts have no terminal, and a rollback can be undone.
    const yes = options.yes === true || !prompts.isInteractive;
    const question = `Roll ${name} back to ${preview.to}?`;
    if (!(await confirmLoss({ effects: [changes.join('\n')], question }, { yes }, context))) return 1;
    // The listed revision, even if another deploy has ended meanwhile.
    const events = client.rollback(name, {
      onReconnect: () => output.showStatus('Reconnecting…'),
      revision: preview.to,
    });
    return showEvents(events, context);
  },
});
