import { defineCommand } from '../../command/command.ts';
import { showEvents } from '../../deploy/show-events.ts';

/** `berth rollback`. */
export const rollback = defineCommand({
  name: 'rollback',
  summary: 'Put an earlier revision back into service, without a build',
  words: { '<name>': 'Name of the deployment' },
  options: { '--revision <revision>': 'The revision; the one before the serving one by default' },
  examples: [
    ['berth rollback my-app', 'to the revision before'],
    ['berth rollback my-app --revision my-app-00003', 'to that one; `berth get` lists them'],
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
