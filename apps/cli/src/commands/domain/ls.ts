import type { Domain } from '@berth/contract';
import { defineCommand } from '../../command/command.ts';
import { formatAge } from '../../output/format-age.ts';

/** `berth domain ls`. */
export const domainLs = defineCommand({
  name: 'ls',
  summary: 'List the domains of the account, or of one deployment',
  words: { '[name]': 'Name of the deployment' },
  examples: [
    ['berth domain ls', 'all of them'],
    ['berth domain ls my-app --json', 'with their DNS records, as one JSON array'],
  ],
  async run({ words: [name] }, { connect, output, clock }) {
    const domains = await (await connect()).get('/v1/domain/list', { params: { query: { name } } });
    output.json(domains);
    if (domains.length === 0) return output.say('No domains yet. Add one with `berth domain add`.');
    const { style } = output;
    output.table(domains, [
      { heading: 'DOMAIN', text: (row) => row.domain, paint: style.bold },
      { heading: 'STATUS', text: (row) => row.status, paint: (text, row) => paint(text, row, style) },
      { heading: 'DEPLOYMENT', text: (row) => row.deployment_name },
      { heading: 'ADDED', text: (row) => formatAge(row.created_at, clock.nowMs()) },
    ]);
  },
});

function paint(text: string, { status }: Domain, style: { green(text: string): string; yellow(text: string): string }) {
  return status === 'active' ? style.green(text) : style.yellow(text);
}
