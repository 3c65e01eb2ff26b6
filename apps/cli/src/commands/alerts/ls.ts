import type { Alert } from '@berth/contract';
import { defineCommand } from '../../command/command.ts';
import { describeCondition, describeState } from './describe-alert.ts';

/** `berth alerts ls`. */
export const alertsLs = defineCommand({
  name: 'ls',
  summary: 'List alerts and what they fire for',
  examples: [['berth alerts ls', 'conditions, states and channels']],
  async run(_input, { connect, output }) {
    const alerts = await (await connect()).get('/v1/alerts');
    output.json(alerts);
    if (alerts.length === 0) return output.say('The account has no alerts. Create one with `berth alerts create`.');
    output.table(alerts, [
      { heading: 'ID', text: (row) => row.id },
      { heading: 'TITLE', text: (row) => row.title },
      { heading: 'CONDITION', text: (row) => describeCondition(row.condition as Alert['condition']) },
      { heading: 'DEPLOYMENT', text: (row) => row.deployment_name ?? 'all' },
      { heading: 'STATE', text: (row) => describeState(row as Alert) },
      { heading: 'CHANNELS', text: (row) => [...row.emails, row.webhook_url ?? []].flat().join(', ') },
    ]);
  },
});
