import type { AuditEntry } from '@berth/contract';
import { defineCommand } from '../../command/command.ts';
import { readMoment } from '../../flags/read-moment.ts';
import { readLimit, readPages } from '../../flags/read-pages.ts';

/** Maximum entries of a page. Source: docs/api.md. */
const PAGE_ENTRIES = 1_000;

/** `berth audit`. */
export const audit = defineCommand({
  name: 'audit',
  summary: "Show the account's audit log, newest first",
  options: {
    '--actor <id>': 'Actor: a key or person; `system` for the platform itself',
    '--action <action>': 'Action, such as key.create, or a group of actions, such as key',
    '--target <text>': 'Target: part of its name or ID',
    '--since <when>': 'Start: a duration such as 7d, or an RFC 3339 time',
    '--until <when>': 'End: a duration or an RFC 3339 time',
    '--limit <number>': 'Maximum entries; 100 by default',
  },
  examples: [
    ['berth audit', 'the newest 100 changes'],
    ['berth audit --action deployment --since 7d', 'changes to deployments in the last week'],
    ['berth audit --limit 100000 --json', 'all entries as JSON'],
  ],
  async run({ options }, { connect, output, clock }) {
    const limit = readLimit(options.limit, 100);
    const nowMs = clock.nowMs();
    const filter = {
      actor: options.actor || undefined,
      action: options.action || undefined,
      target: options.target || undefined,
      since: options.since === undefined ? undefined : readMoment('--since', options.since, nowMs),
      until: options.until === undefined ? undefined : readMoment('--until', options.until, nowMs),
    };
    const client = await connect();
    const entries = await readPages(limit, PAGE_ENTRIES, async (size, page_token) => {
      const query = { ...filter, limit: size, page_token };
      const page = await client.get('/v1/user/audit', { params: { query } });
      return [page.entries, page.next_page_token];
    });
    output.json(entries);
    if (entries.length === 0) return output.say('No matching entries.');
    output.table(entries, [
      { heading: 'TIME', text: ({ time }) => time },
      { heading: 'ACTION', text: (row) => row.action },
      { heading: 'TARGET', text: (row) => row.target },
      { heading: 'BY', text: describeActor },
    ]);
  },
});

function describeActor({ actor, actor_name: name }: AuditEntry): string {
  return [actor.kind, name, name === null ? actor.id : actor.id && `(${actor.id})`].filter(Boolean).join(' ');
}
