import { defineCommand } from '../../command/command.ts';
import { showEvents } from '../../deploy/show-events.ts';

/** `berth follow`. */
export const follow = defineCommand({
  name: 'follow',
  summary: 'Follow a running deploy, or replay a finished one',
  words: { '<deploy-id>': 'ID that `berth deploy` printed' },
  examples: [['berth follow dep_01jd3v9k2m', 'all events until it ends']],
  async run({ words: [deployId = ''] }, context) {
    const client = await context.connect();
    const events = client.followDeploy(deployId, { onReconnect: () => context.output.showStatus('Reconnecting…') });
    return showEvents(events, context);
  },
});
