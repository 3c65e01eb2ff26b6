import { defineCommand } from '../../command/command.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { cleanText } from '../../output/clean-text.ts';
import { ALERT_OPTIONS, readChannels, readCondition } from './read-alert-options.ts';

/** `berth alerts create`. */
export const alertsCreate = defineCommand({
  name: 'create',
  summary: 'Create an alert; the secret of its webhook is printed once',
  description: 'An alert sends one notification when its condition begins, and one when it is over.',
  words: { '<title>': 'Title, such as "Shop crashes"' },
  options: { ...ALERT_OPTIONS, '--deployment <name>': 'Deployment; all by default' },
  examples: [
    [
      'berth alerts create "Shop crashes" --on crash_loop --deployment shop --email you@example.com',
      'mail about crashes',
    ],
    ['berth alerts create Errors --on error_rate --percent 5 --webhook https://hooks.example.com/berth', 'a webhook'],
  ],
  async run({ words: [title = ''], options }, { connect, output }) {
    const condition = readCondition(options);
    if (condition === undefined) throw new UsageError('Name the condition with --on, such as --on crash_loop.');
    const { deployment: deployment_name } = options;
    const body = {
      title,
      condition,
      ...readChannels(options),
      ...(deployment_name === undefined ? {} : { deployment_name }),
    };
    const alert = await (await connect()).post('/v1/alerts', { body });
    output.json(alert);
    if (alert.webhook_secret === null) return output.print(cleanText(alert.id));
    output.say(cleanText(`Created ${alert.id}. The secret of its webhook, shown only once:`));
    output.print(cleanText(alert.webhook_secret));
  },
});
