import { defineCommand } from '../../command/command.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { cleanText } from '../../output/clean-text.ts';
import { ALERT_OPTIONS, readChannels, readCondition } from './read-alert-options.ts';

/** `berth alerts update`. */
export const alertsUpdate = defineCommand({
  name: 'update',
  summary: 'Change, enable or disable an alert, or replace the secret of its webhook',
  description: 'Options that you leave out stay as they are. --email replaces all addresses.',
  words: { '<id>': 'ID of the alert, from `berth alerts ls`' },
  options: {
    ...ALERT_OPTIONS,
    '--title <text>': 'New title',
    '--enable': 'Evaluate it again',
    '--disable': 'Stop evaluating it',
    '--rotate-secret': 'Replace the secret of the webhook, and print the new one',
  },
  examples: [
    ['berth alerts update alr_… --disable', 'no notifications until --enable'],
    ['berth alerts update alr_… --rotate-secret', 'the former secret stops being used at once'],
  ],
  async run({ words: [id = ''], options }, { connect, output }) {
    if (options.enable && options.disable) throw new UsageError('Choose --enable or --disable.');
    const client = await connect();
    const condition = readCondition(options);
    const body = {
      ...{ id, ...readChannels(options), ...(condition === undefined ? {} : { condition }) },
      ...(options.title === undefined ? {} : { title: options.title }),
      ...(options.enable || options.disable ? { is_enabled: options.enable === true } : {}),
    };
    const changed = await client.post('/v1/alerts/update', { body });
    const alert = options.rotateSecret ? await client.post('/v1/alerts/rotate-secret', { body: { id } }) : changed;
    output.json(alert);
    output.say(cleanText(`Updated ${alert.id}.`));
    if (alert.webhook_secret === null) return;
    output.say('The secret of its webhook, shown only once:');
    output.print(cleanText(alert.webhook_secret));
  },
});
