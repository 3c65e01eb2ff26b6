import { createSilentLogger, createSystemClock } from '@berth/kit';
import { createSqlRunner } from '@berth/logstore';
import { type BenchOptions, type BenchResult, type Figure, figure } from '../figure.ts';
import { processTree, residentMib } from '../process-tree.ts';

/** They ask for much by arguments that are known only when they are computed. The first one just fits. */
const QUERIES = [
  'SELECT len(range(60000000 + 0)) AS n',
  'SELECT len(generate_series(1, 100000000 + 0)) AS n',
  "SELECT length(repeat('x', 2000000000 + 0)) AS n",
  'SELECT len(list_resize([1], 200000000 + 0)) AS n',
  "SELECT len(list_transform(range(20000000 + 0), x -> x::VARCHAR || repeat('y', 20))) AS n",
  'SELECT len(list_concat(range(60000000 + 0), range(60000000 + 0))) AS n',
  "SELECT len(string_split(repeat('a,', 40000000 + 0), ',')) AS n",
  'SELECT histogram(x) AS n FROM range(20000000) r(x)',
  'SELECT len(list_sort(range(100000000 + 0))) AS n',
  'SELECT range(9000000 + 0) AS n',
] as const;
const NEXT = 'SELECT count(*) AS n FROM logs';

/** Nothing bounds the processes; a query may take 15 s, in which it takes gigabytes. */
const UNBOUNDED = { boundMemory: async () => ({ watch: () => () => {} }), limits: { timeoutMs: 15_000 } };

/** The most memory that the processes of SQL hold for queries that ask for too much, with and without their bound, and how long the next query takes. */
export async function measureSqlMemory({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  const queries = isTenth ? QUERIES.slice(0, 1) : QUERIES;
  const bound = await measure(queries, say);
  const free = isTenth ? undefined : await measure(queries, say, UNBOUNDED);
  const worst = (values: readonly number[]) => Math.round(Math.max(...values));
  const figures: Figure[] = [
    figure('SQL: peak of a process, of a limit of 512 MiB', worst(bound.peaksMib), 'MB', { target: 1_024 }),
    figure('SQL: next query after one over the limit', worst(bound.nextMs), 'ms'),
    figure('SQL: queries over the limit that were answered 422', bound.refused, 'runs'),
  ];
  if (free) {
    const title = 'SQL: peak of a process without a bound';
    figures.push(figure(title, worst(free.peaksMib), 'MB'));
  }
  return { figures, notes: [`${queries.length} queries; the peak is looked at every 10 ms`] };
}

async function measure(
  queries: readonly string[],
  say: BenchOptions['say'],
  options: Partial<Parameters<typeof createSqlRunner>[0]> = {},
) {
  const runner = createSqlRunner({
    clock: createSystemClock(),
    logger: createSilentLogger(),
    ...options,
    relationsOf: async () => ({
      setUp: [{ relation: 'logs', sql: 'CREATE OR REPLACE TABLE logs AS SELECT 1 AS a' }],
      allowedFolders: [],
      bytes: 0,
      release() {},
    }),
  });
  const peaksMib: number[] = [];
  const nextMs: number[] = [];
  let refused = 0;
  try {
    for (const query of queries) {
      const peak = watchPeak();
      const outcome = await runner.run('account', query, new AbortController().signal).then(() => 'answered', reason);
      peaksMib.push(peak.end());
      if (outcome === 'query_memory') refused++;
      const startedMs = performance.now();
      const next = await runner.run('account', NEXT, new AbortController().signal);
      if (next !== '[{"n":1}]') throw new Error(`the next query answered ${next}`);
      nextMs.push(performance.now() - startedMs);
      say(`${Math.round(peaksMib.at(-1) ?? 0)} MiB, ${outcome}, next ${Math.round(nextMs.at(-1) ?? 0)} ms: ${query}`);
    }
  } finally {
    await runner.close();
  }
  return { peaksMib, nextMs, refused };
}

function reason(error: { details?: { issues?: readonly { type?: string }[] }; message: string }): string {
  return error.details?.issues?.[0]?.type ?? error.message;
}

/** The largest of this process's children, whichever that is. */
function watchPeak(): { end(): number } {
  let peak = 0;
  const timer = setInterval(() => {
    for (const pid of processTree(process.pid).slice(1)) peak = Math.max(peak, residentMib([pid]));
  }, 10);
  return {
    end() {
      clearInterval(timer);
      return peak;
    },
  };
}
