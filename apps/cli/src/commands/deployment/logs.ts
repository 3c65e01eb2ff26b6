import type { Client, TailOptions } from '@berth/client';
import { type LogEntry, type LogFields, type LogHistogram, SEVERITIES } from '@berth/contract';
import { defineCommand } from '../../command/command.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { readMoment } from '../../flags/read-moment.ts';
import { LINKED_WORD, requireName } from '../../link/linked-name.ts';
import { createInstancePaint, formatLogEntry } from '../../output/format-log-entry.ts';
import type { Output } from '../../output/output.ts';
import { sparkline } from '../../output/sparkline.ts';

/** Maximum entries of a page. Source: docs/contract/control-plane.md §6. */
const PAGE_ENTRIES = 1_000;

/** `berth logs`. */
export const logs = defineCommand({
  name: 'logs',
  summary: 'Show the log of a deployment',
  words: LINKED_WORD,
  options: {
    '-f, --follow': 'Follow new entries, reconnecting when the server restarts',
    '--since <when>': 'Start: a duration such as 30m, or an RFC 3339 time',
    '--limit <number>': 'Maximum entries, newest first; 100 by default, all with --since',
    '-q, --query <filter>': 'Filter, in the language of docs/guides/log-filters.md',
    '--instance <id>': 'Only entries of this instance',
    '--by-instance': 'Show the instance in front of each entry',
    '--reference <id>': 'Show the error with this reference, and its cause',
    '--count': 'Count the entries since --since by time and severity',
    '--fields': 'List the fields and values of entries since --since',
  },
  examples: [
    ['berth logs my-app', 'the newest 100 entries'],
    ['berth logs my-app -f', 'the newest entries, then new ones as they arrive'],
    ['berth logs my-app --since 30m', 'the last 30 minutes'],
    ['berth logs my-app --since 5m --limit 2', 'the newest two of the last 5 minutes'],
    ['berth logs my-app -f --since 5m --limit 2', 'the same two, then new entries'],
    ['berth logs my-app -q "severity>=ERROR" --since 24h', 'errors of the last day'],
    ["berth logs my-app -f -q 'httpRequest.status>=500'", 'failing requests as they happen'],
    ['berth logs my-app -f --by-instance', 'which instance printed it'],
    ['berth logs my-agent --reference 1a2b3c4d', 'why a turn failed'],
    ['berth logs my-app --count --since 24h', 'counts by severity over time'],
    ['berth logs my-app --fields --since 24h', 'fields to filter by'],
    ['berth logs my-app --json | jq .message', 'one JSON object per line'],
  ],
  async run({ words: [word], options }, context) {
    const { connect, output, clock } = context;
    const name = await requireName(word, context);
    const since = options.since === undefined ? undefined : readMoment('--since', options.since, clock.nowMs());
    const limit = options.limit === undefined ? undefined : readLimit(options.limit, since !== undefined);
    const query = narrowByInstance(withReference(options.query, options.reference), options.instance);
    const withInstance = options.byInstance === true;
    if (withInstance && (options.count || options.fields)) {
      throw new UsageError("--by-instance can't be combined with --count or --fields.");
    }
    const client = await connect();
    if (options.count) {
      if (since === undefined || options.follow || limit !== undefined) {
        throw new UsageError("--count requires --since and can't be combined with --follow or --limit.");
      }
      const histogram = await client.post('/v1/deployment/logs/histogram', {
        body: { deployment_name: name, since, query },
      });
      output.json(histogram);
      if (histogram.total === 0) output.say('No matching entries.');
      else printHistogram(histogram, output);
      const until = histogram.counted_until;
      if (until !== null) output.warn(`Truncated: entries until ${until}.`);
      return;
    }
    if (options.fields) {
      if (since === undefined || options.follow || limit !== undefined) {
        throw new UsageError("--fields requires --since and can't be combined with --follow, --limit or --count.");
      }
      const answer = await client.post('/v1/deployment/logs/fields', {
        body: { deployment_name: name, since, query, values: 5 },
      });
      output.json(answer);
      if (answer.entries === 0) output.say('No matching entries.');
      else printFields(answer, output);
      if (answer.is_sampled) output.say(`Based on a sample of ${answer.entries} entries across that time.`);
      return;
    }
    const wanted = { since, limit, query, withInstance };
    const entries = options.follow
      ? followed(client, name, wanted, {
          onLost: (error) => output.say(`${error.message} Waiting for new entries.`),
          onFound: () => output.say('It is back.'),
        })
      : newest(pages(client, name, wanted), wanted);
    const isForPeople = output.isTerminal.result;
    const paintInstance = createInstancePaint(output.style);
    let isEmpty = true;
    for await (const entry of entries) {
      isEmpty = false;
      output.json(entry);
      output.print(formatLogEntry(entry, { style: output.style, isForPeople, paintInstance }));
    }
    if (isEmpty && options.reference !== undefined) {
      output.say(
        `No entry has the reference ${options.reference}. It may be older than log retention, or belong to another deployment.`,
      );
    }
  },
});

/** Returns the filter for a reference, combined with one of the caller's. Source: docs/contract/agent-api.md §2, "Frames". */
function withReference(query: string | undefined, reference: string | undefined): string | undefined {
  if (reference === undefined) return query;
  if (!/^[0-9a-f]{8}$/i.test(reference)) {
    throw new UsageError('--reference must be the 8 characters at the end of the error message, such as 1a2b3c4d');
  }
  const wanted = `jsonPayload.error_id="${reference.toLowerCase()}"`;
  return query === undefined ? wanted : `${wanted} AND (${query}\n)`;
}

/** Returns the filter for an instance, combined with one of the caller's. */
function narrowByInstance(query: string | undefined, instance: string | undefined): string | undefined {
  if (instance === undefined) return query;
  const wanted = `resource.labels.instance_id=${JSON.stringify(instance)}`;
  return query === undefined ? wanted : `${wanted} AND (${query}\n)`;
}

interface Wanted {
  readonly since: string | undefined;
  readonly limit: number | undefined;
  readonly query: string | undefined;
  readonly withInstance: boolean;
}

/** Yields the requested entries and then new ones. `limit` applies to existing entries only. */
async function* followed(client: Client, name: string, wanted: Wanted, views: TailOptions): AsyncGenerator<LogEntry> {
  let { since } = wanted;
  // A tail sends everything after `since`; without one it begins with the newest itself.
  if (since !== undefined && wanted.limit !== undefined) {
    for await (const entry of newest(pages(client, name, wanted), wanted)) {
      since = entry.timestamp;
      yield entry;
    }
  }
  yield* client.tailLogs(name, { ...wanted, ...views, since });
}

/** Selects the requested entries: with `since` and `limit`, the newest after `since`. */
async function* newest(entries: AsyncIterable<LogEntry>, { since, limit }: Wanted): AsyncGenerator<LogEntry> {
  if (since === undefined || limit === undefined) return yield* entries;
  let kept: LogEntry[] = [];
  for await (const entry of entries) {
    if (isAfter(entry.timestamp, since)) kept.push(entry);
    if (kept.length >= 2 * limit) kept = kept.slice(-limit);
  }
  yield* kept.slice(-limit);
}

/** Compares RFC 3339 times to the nanosecond. */
function isAfter(time: string, since: string): boolean {
  const byMs = Date.parse(time) - Date.parse(since);
  const fraction = (text: string) => (/\.(\d+)/.exec(text)?.[1] ?? '').padEnd(9, '0');
  return byMs === 0 ? fraction(time) > fraction(since) : byMs > 0;
}

/** Reads all entries after `since` page by page, or one page of the newest if that is enough. */
async function* pages(
  client: Client,
  name: string,
  { since, limit, query, withInstance }: Wanted,
): AsyncGenerator<LogEntry> {
  const isOnePage = since === undefined || (limit !== undefined && limit <= PAGE_ENTRIES);
  const size = isOnePage ? (limit ?? 100) : PAGE_ENTRIES;
  let after = isOnePage ? undefined : since;
  for (;;) {
    const page = await client.post('/v1/deployment/logs', {
      body: { deployment_name: name, since: after, limit: size, query, ...(withInstance && { with_instance: true }) },
    });
    yield* page.logs;
    after = page.cursor ?? undefined;
    // A page with long entries may be short; only an empty page is the last.
    if (isOnePage || after === undefined || page.logs.length === 0) return;
  }
}

function readLimit(text: string, hasSince: boolean): number {
  const limit = /^\d+$/.test(text) ? Number(text) : 0;
  if (limit < 1) throw new UsageError('--limit must be a positive number');
  if (limit > PAGE_ENTRIES && !hasSince) throw new UsageError('--limit above 1000 requires --since');
  return limit;
}

/** Fits a terminal of 100 columns beside the numbers. */
const CHART_WIDTH = 60;

/** Prints a line for each severity that occurs, the most severe first: how many entries, and when. */
function printHistogram({ buckets }: LogHistogram, { style, table }: Output): void {
  const rows = SEVERITIES.toReversed()
    .map((severity) => ({ severity, counts: buckets.map(({ counts }) => counts[severity] ?? 0) }))
    .map((row) => ({ ...row, total: row.counts.reduce((sum, count) => sum + count, 0) }))
    .filter(({ total }) => total > 0);
  table(rows, [
    { heading: 'SEVERITY', text: ({ severity }) => severity },
    { heading: 'ENTRIES', text: ({ total }) => String(total) },
    { heading: 'OLDEST FIRST', text: ({ counts }) => sparkline(counts, style.signs, CHART_WIDTH) },
  ]);
}

/** Prints a line for each field: how many entries have it, and its most frequent values in filter syntax. */
function printFields({ fields }: LogFields, { table }: Output): void {
  table(fields, [
    { heading: 'FIELD', text: ({ name }) => name },
    { heading: 'ENTRIES', text: ({ entries }) => String(entries) },
    {
      heading: 'VALUES',
      text: ({ values, has_more }) =>
        [
          ...values.map(({ value, entries }) => `${JSON.stringify(value)} (${entries})`),
          ...(has_more ? ['…'] : []),
        ].join(', '),
    },
  ]);
}
