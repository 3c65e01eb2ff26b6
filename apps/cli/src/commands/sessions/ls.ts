import { describeUserAgent } from '@berth/kit';
import { defineCommand } from '../../command/command.ts';
import { formatAge } from '../../output/format-age.ts';

/** `berth sessions ls`. */
export const sessionsLs = defineCommand({
  name: 'ls',
  summary: 'List your sessions',
  description: "Requires a person's session, from `berth login --browser` or --email; an API key has none.",
  examples: [['berth sessions ls', 'browsers and machines, most recently used first']],
  async run(_input, { connect, output, clock }) {
    const sessions = await (await connect()).get('/v1/user/sessions');
    output.json(sessions);
    output.table(sessions, [
      { heading: 'ID', text: (row) => row.id },
      { heading: '', text: (row) => (row.is_current ? 'this one' : '') },
      { heading: 'FROM', text: (row) => row.address ?? 'unknown' },
      { heading: 'WITH', text: (row) => programOf(row.user_agent) },
      { heading: 'BEGUN', text: (row) => formatAge(row.created_at, clock.nowMs()) },
      { heading: 'LAST USED', text: (row) => formatAge(row.last_used_at, clock.nowMs()) },
    ]);
  },
});

function programOf(userAgent: string | null): string {
  if (userAgent === null) return 'unknown';
  const { program = userAgent, system } = describeUserAgent(userAgent) ?? {};
  return system === undefined ? program : `${program} on ${system}`;
}
