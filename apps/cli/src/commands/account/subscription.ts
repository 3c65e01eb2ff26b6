import type { Subscription } from '@berth/contract';
import { defineCommand } from '../../command/command.ts';
import { formatBytes } from '../../output/format-bytes.ts';
import { formatFacts } from '../../output/format-facts.ts';

/** `berth subscription`. */
export const subscription = defineCommand({
  name: 'subscription',
  summary: "Show the account's plan, limits and usage",
  examples: [
    ['berth subscription', 'plan, limits, usage and cost'],
    ['berth subscription --json', 'the same as JSON'],
  ],
  async run(_input, { connect, output }) {
    const current = await (await connect()).get('/v1/user/subscription');
    output.json(current);
    output.print(formatFacts(facts(current), output.style));
  },
});

function facts({ plan, status, currency, limits, usage, ...period }: Subscription): (readonly [string, string])[] {
  const day = (time: string) => time.slice(0, 10);
  const ends = period.cancel_at_period_end ? ', then ends' : '';
  const number = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 2 });
  return [
    ['Plan', status === 'active' ? plan : `${plan} (${status})`],
    ['Period', `${day(period.current_period_start)} to ${day(period.current_period_end)}${ends}`],
    ['Cost', `${usage.cost.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 4 })} ${currency}`],
    ['CPU', `${number(usage.cpu_seconds)} vCPU-seconds`],
    ['Memory', `${number(usage.memory_gib_seconds)} GiB-seconds`],
    ['Requests', number(usage.requests)],
    ['Egress', formatBytes(usage.egress_bytes)],
    ['Storage', `${number(usage.storage_gib_months)} GiB-months`],
    ['Builds', `${number(usage.build_seconds)} seconds`],
    [
      'Limits',
      `${number(limits.deployments)} deployments, ${number(limits.volumes)} volumes, ${limits.memory} and ` +
        `${number(limits.max_instances)} instances each, ${formatBytes(limits.storage_bytes)} stored, ` +
        `logs for ${limits.log_retention_days} days`,
    ],
  ];
}
