import type { Client } from '@berth/client';
import type { LogEntry } from '@berth/contract';
import { defineCommand } from '../command.ts';
import { formatHistogram } from '../output/format-histogram.ts';
import { formatLogEntry } from '../output/format-log-entry.ts';
import { formatLogFields } from '../output/format-log-fields.ts';
import { readMoment } from '../read-moment.ts';
import { UsageError } from '../usage-error.ts';

interface LogsOptions {
  readonly follow?: boolean;
  readonly since?: string;
  readonly limit?: string;
  readonly query?: string;
  readonly count?: boolean;
  readonly fields?: boolean;
}

/** The most entries of one answer. Source: spec section 2.2. */
const PAGE_ENTRIES = 1_000;

export const logs = defineCommand<LogsOptions>({
  name: 'logs',
  summary: 'Show the log of a deployment',
  words: [{ name: 'name', description: 'Name of the deployment' }],
  options: [
    { flags: '-f, --follow', description: 'Go on with what comes, through restarts of the server' },
    { flags: '--since <when>', description: 'Only after this: a span such as 30m, or an RFC 3339 time' },
    { flags: '--limit <number>', description: 'At most so many; by default the newest 100, or all with --since' },
    {
      flags: '-q, --query <filter>',
      description: 'Only entries that fit, in the language of docs/guides/log-filters.md',
    },
    { flags: '--count', description: 'Count the entries after --since by time and severity, and show none' },
    { flags: '--fields', description: 'Show which fields entries after --since have, and their values, to filter by' },
  ],
  examples: [
    ['berth logs my-app', 'the newest 100 entries'],
    ['berth logs my-app -f', 'and what comes'],
    ['berth logs my-app --since 30m', 'all of the last half hour'],
    ['berth logs my-app -q "severity>=ERROR" --since 24h', 'the errors of a day'],
    ["berth logs my-app -f -q 'httpRequest.status>=500'", 'requests that fail, as they do'],
    ['berth logs my-app --count --since 24h', 'how many of which severity, and when'],
    ['berth logs my-app --fields --since 24h', 'what can be filtered by'],
    ['berth logs my-app --json | jq .message', 'one JSON object a line'],
  ],
  async run({ words: [name = ''], options }, { connect, output, clock }) {
    const since = options.since === undefined ? undefined : readMoment('--since', options.since, clock.nowMs());
    const limit = options.limit === undefined ? undefined : readLimit(options.limit, since !== undefined);
    const client = await connect();
    if (options.count) {
      if (since === undefined || options.follow || limit !== undefined) {
        throw new UsageError('--count goes with --since, and without --follow and --limit.');
      }
      const histogram = await client.logHistogram({ deployment_name: name, since, query: options.query });
      output.json(histogram);
      if (histogram.total === 0) output.say('No entry fits.');
      else output.print(formatHistogram(histogram, output.style));
      const until = histogram.counted_until;
      if (until !== null) output.warn(`There are more: these are the entries until ${until}.`);
      return;
    }
    if (options.fields) {
      if (since === undefined || options.follow || limit !== undefined) {
        throw new UsageError('--fields goes with --since, and without --follow, --limit and --count.');
      }
      const answer = await client.logFields({ deployment_name: name, since, query: options.query, values: 5 });
      output.json(answer);
      if (answer.entries === 0) output.say('No entry fits.');
      else output.print(formatLogFields(answer, output.style));
      if (answer.is_sampled) output.say(`Of ${answer.entries} entries from all over that time; there are more.`);
      return;
    }
    const wanted = { since, limit, query: options.query };
    const entries = options.follow
      ? client.tailLogs(name, {
          ...wanted,
          onLost: (error) => output.say(`${error.message} Waiting for it.`),
          onFound: () => output.say('It is back.'),
        })
      : pages(client, name, wanted);
    const isForPeople = output.isTerminal.result;
    for await (const entry of entries) {
      output.json(entry);
      output.print(formatLogEntry(entry, { style: output.style, isForPeople }));
    }
  },
});

interface Wanted {
  readonly since: string | undefined;
  readonly limit: number | undefined;
  readonly query: string | undefined;
}

/** All entries after `since`, page by page, or one page of the newest. */
async function* pages(client: Client, name: string, { since, limit, query }: Wanted): AsyncGenerator<LogEntry> {
  let left = limit ?? (since === undefined ? 100 : Number.POSITIVE_INFINITY);
  let after = since;
  for (;;) {
    const size = Math.min(PAGE_ENTRIES, left);
    const page = await client.fetchLogs({ deployment_name: name, since: after, limit: size, query });
    yield* page.logs;
    left -= page.logs.length;
    after = page.cursor ?? undefined;
    // A page may be short because its entries are long: only an empty one is the last.
    if (since === undefined || after === undefined || left <= 0 || page.logs.length === 0) return;
  }
}

function readLimit(text: string, hasSince: boolean): number {
  const limit = /^\d+$/.test(text) ? Number(text) : 0;
  if (limit < 1) throw new UsageError('--limit: write a number from 1 up');
  if (limit > PAGE_ENTRIES && !hasSince) throw new UsageError('--limit: over 1000 entries need a --since to begin at');
  return limit;
}
