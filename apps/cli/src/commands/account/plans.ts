import { defineCommand } from '../../command/command.ts';
import { formatBytes } from '../../output/format-bytes.ts';

/** `berth plans`. */
export const plans = defineCommand({
  name: 'plans',
  summary: "List the server's plans and their limits",
  examples: [
    ['berth plans', 'the current plan has a star'],
    ['berth plans --json', 'the same as JSON'],
  ],
  async run(_input, { connect, output }) {
    const rows = await (await connect()).get('/v1/user/plans');
    output.json(rows);
    const number = (value: number) => value.toLocaleString('en');
    output.table(rows, [
      { heading: 'PLAN', text: (row) => `${row.name}${row.is_current ? ' *' : ''}`, paint: output.style.bold },
      { heading: 'DEPLOYMENTS', text: ({ limits }) => number(limits.deployments) },
      { heading: 'VOLUMES', text: ({ limits }) => number(limits.volumes) },
      { heading: 'INSTANCES', text: ({ limits }) => number(limits.max_instances) },
      { heading: 'MEMORY', text: ({ limits }) => limits.memory },
      { heading: 'STORAGE', text: ({ limits }) => formatBytes(limits.storage_bytes) },
      { heading: 'LOGS', text: ({ limits }) => `${limits.log_retention_days} d` },
    ]);
  },
});
