import { defineCommand } from '../../command/command.ts';
import { showEvents } from '../../deploy/show-events.ts';

/** `berth rollback`. */
export const rollback = defineCommand({
  name: 'rollback',
  summary: 'Roll back to an earlier revision, without a build',
  words: { '<name>': 'Name of the deployment' },
  options: { '--revision <revision>': 'Revision; the previous one by default' },
  examples: [
    ['berth rollback my-app', 'to the previous revision'],
    ['berth rollback my-app --revision my-app-00003', 'to this revision; `berth get` lists them'],
  ],
  async run({ words: [name = ''], options }, context) {
    const client = await context.connect();
    const events = client.rollback(name, {
      onReconnect: () => context.output.showStatus('Reconnecting…'),
      ...(options.revision === undefined ? {} : { revision: options.revision }),
    });
    return showEvents(events, context);
  },
});
