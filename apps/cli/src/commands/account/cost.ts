import type { SqlRow } from '@berth/contract';
import { defineCommand } from '../../command/command.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { parseSpanMs } from '../../flags/read-moment.ts';
import type { Column } from '../../output/format-table.ts';

interface CostOptions {
  readonly by?: string;
  readonly since?: string;
  readonly month?: string;
}

const DAY_MS = 86_400_000;

/** A grouping of rows: its SQL expression and its columns. */
const GROUPS = {
  deployment: 'resource.name',
  sku: 'sku.description',
  day: "strftime(usage_start_time, '%Y-%m-%d')",
} as const;

/** The fields of agents' log lines; the later names are those of earlier versions. Source: docs/contract/agent-api.md §10. */
const AGENT_GROUPS = { user: ['user_id', 'user'], model: ['model'], chat: ['chat_id'] } as const;

/** `berth cost`. */
export const cost = defineCommand({
  name: 'cost',
  summary: 'Show what deployments cost',
  description:
    "Shows usage and its cost by the server's price book, for this month by default. Grouped by user, model or chat, it sums the model usage that agents log.",
  words: { '[name]': 'Limit to one deployment' },
  options: {
    '--by <group>': 'Group by deployment (default), sku, day, user, model or chat',
    '--since <span>': 'A duration instead of this month, such as 7d',
    '--month <month>': 'A month, such as 2026-01',
  },
  examples: [
    ['berth cost', 'this month, by deployment'],
    ['berth cost my-app --by sku --since 7d', 'what one deployment spent, by kind of usage'],
    ['berth cost my-agent --by user', "an agent's model costs by person"],
  ],
  async run({ words: [name], options }, { connect, output, clock }) {
    const by = options.by ?? 'deployment';
    const [from, to] = readRange(options, clock.nowMs());
    const rows = await (await connect()).post('/v1/sql', { body: { query: queryOf(by, name, from, to) } });
    output.json(rows);
    if (rows.length === 0) {
      output.say(`No usage from ${from} to ${to}.`);
      return;
    }
    const columns: Column<SqlRow>[] = [{ heading: by, text: (row) => String(row[by] ?? '') }];
    if (Object.hasOwn(AGENT_GROUPS, by)) columns.push(...COUNTS.map(countColumn));
    columns.push({ heading: 'cost', text: (row) => `${money(Number(row['cost']))} ${row['currency']}` });
    output.table([...rows, ...totals(by, rows)], columns);
  },
});

/** Counts of turns besides their cost. */
const COUNTS = ['turns', 'input_tokens', 'output_tokens'] as const;

function countColumn(name: (typeof COUNTS)[number]): Column<SqlRow> {
  return { heading: name.replace('_', ' '), text: (row) => Number(row[name]).toLocaleString('en') };
}

/** Totals by currency, because a new price book may use another one. */
function totals(by: string, rows: readonly SqlRow[]): SqlRow[] {
  const currencies = [...new Set(rows.map((row) => row['currency']))];
  return currencies.map((currency) => {
    const same = rows.filter((row) => row['currency'] === currency);
    const sum = (name: string) => same.reduce((total, row) => total + Number(row[name]), 0);
    return {
      [by]: 'total',
      currency,
      cost: sum('cost'),
      ...Object.fromEntries(COUNTS.map((name) => [name, sum(name)])),
    };
  });
}

function money(value: number): string {
  return value.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: value < 1 ? 6 : 2 });
}

function readRange({ since, month }: CostOptions, nowMs: number): readonly [from: string, to: string] {
  if (since !== undefined && month !== undefined) throw new UsageError('Give --since or --month, not both.');
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  if (since !== undefined) {
    const spanMs = parseSpanMs(since);
    if (spanMs === undefined) throw new UsageError('--since: use a duration such as 7d');
    return [day(nowMs - spanMs), day(nowMs + DAY_MS)];
  }
  const wanted = month ?? day(nowMs).slice(0, 7);
  const [year, number] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(wanted)?.slice(1).map(Number) ?? [];
  if (year === undefined || number === undefined) throw new UsageError('--month must be a month such as 2026-01');
  return [day(Date.UTC(year, number - 1, 1)), day(Date.UTC(year, number, 1))];
}

/** Builds the query. Deployments' names are DNS labels and anything else is refused, so a name can't end its string literal. */
function queryOf(by: string, name: string | undefined, from: string, to: string): string {
  if (name !== undefined && !/^[a-z][a-z0-9-]*$/.test(name))
    throw new UsageError(`"${name}" is not a valid deployment name.`);
  if (Object.hasOwn(GROUPS, by)) {
    const group = GROUPS[by as keyof typeof GROUPS];
    const only = name === undefined ? '' : ` AND resource.name = '${name}'`;
    return `SELECT ${group} AS "${by}", SUM(cost) AS cost, currency FROM billing
WHERE usage_start_time >= TIMESTAMPTZ '${from}' AND usage_start_time < TIMESTAMPTZ '${to}'${only}
GROUP BY 1, currency ORDER BY ${by === 'day' ? '1' : 'cost DESC'}`;
  }
  if (Object.hasOwn(AGENT_GROUPS, by)) {
    const field = AGENT_GROUPS[by as keyof typeof AGENT_GROUPS];
    const only = name === undefined ? '' : ` AND resource.labels.service_name = '${name}'`;
    const value = (...paths: readonly string[]) =>
      `COALESCE(${paths.map((path) => `JSON_VALUE(json_payload, '$.${path}')`).join(', ')})`;
    const sum = (...paths: readonly string[]) =>
      `COALESCE(SUM(TRY_CAST(${value(...paths)} AS DECIMAL(38, 9))), 0)::DOUBLE`;
    return `SELECT COALESCE(${value(...field)}, 'not said') AS "${by}", COUNT(*) AS turns, ${sum('input', 'input_tokens')} AS input_tokens,
  ${sum('output', 'output_tokens')} AS output_tokens, ${sum('cost')} AS cost, COALESCE(${value('currency')}, 'USD') AS currency
FROM logs WHERE (${value('event')} = 'usage' OR ${value('level')} = 'usage') AND log_name IN ('stdout', 'stderr')
  AND timestamp >= TIMESTAMPTZ '${from}' AND timestamp < TIMESTAMPTZ '${to}'${only}
GROUP BY 1, currency ORDER BY cost DESC, 1`;
  }
  throw new UsageError('--by must be deployment, sku, day, user, model or chat');
}
