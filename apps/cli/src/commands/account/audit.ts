import type { AuditEntry } from '@berth/contract';
import { defineCommand } from '../../command/command.ts';
import { readMoment } from '../../flags/read-moment.ts';
import { readLimit, readPages } from '../../flags/read-pages.ts';

/** Maximum entries of a page. Source: docs/api.md. */
const PAGE_ENTRIES = 1_000;

/** `berth audit`. */
export const audit = defineCommand({
  name: 'audit',
  summary: 'Show what was done in the account, newest first',
  options: {
    '--actor <id>': 'Only what this key or person did; `system` for the platform itself',
    '--action <action>': 'Only this action, such as key.create, or all of a noun, such as key',
    '--target <text>': 'Only what was done to things whose name or id holds this',
    '--since <when>': 'Only from then on: a span such as 7d, or an RFC 3339 time',
    '--until <when>': 'Only before then: the same',
    '--limit <number>': 'At most so many; by default the newest 100',
  },
  examples: [
    ['berth audit', 'the newest 100 changes'],
    ['berth audit --action deployment --since 7d', 'what was done to deployments in a week'],
    ['berth audit --limit 100000 --json', 'all there is, for programs'],
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
    if (entries.length === 0) return output.say('Nothing fits.');
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
