import { readdirSync, readFileSync } from 'node:fs';
import { type Clock, createSilentLogger, createSystemClock } from '@berth/kit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type BoundMemory, boundMemory, watchMemory } from './bound-memory.ts';
import { createSqlRunner, type SqlRunner, type SqlRunnerLimits } from './create-sql-runner.ts';

const SLOW = 'SELECT COUNT(*) AS n FROM range(100000000) a, range(100000) b';
const MEMORY_BYTES = 64 * 2 ** 20;
/** What a process has before its first query, what it may hold, and room for what grows between two looks of the watcher. */
const PEAK_BYTES = 150 * 2 ** 20 + MEMORY_BYTES + 256 * 2 ** 20 + 200 * 2 ** 20;
const OVER = {
  code: 'invalid',
  details: { issues: [{ loc: ['body', 'query'], type: 'query_memory', msg: expect.stringContaining('64 MiB') }] },
};

interface TestOptions {
  readonly bound?: BoundMemory;
  readonly limits?: Partial<SqlRunnerLimits>;
  readonly clock?: Clock;
}

/** Every account has one log row that says whose it is. */
function openRunner({ bound, limits, clock = createSystemClock() }: TestOptions = {}) {
  const runner: SqlRunner = createSqlRunner({
    clock,
    logger: createSilentLogger(),
    limits: { threads: 1, memoryBytes: MEMORY_BYTES, ...limits },
    ...(bound ? { boundMemory: bound } : {}),
    relationsOf: async (account) => ({
      setUp: [
        { relation: 'logs', sql: 'CREATE OR REPLACE TABLE logs AS SELECT $1::VARCHAR AS owner', values: [account] },
      ],
      allowedFolders: [],
      bytes: 0,
      release() {},
    }),
  });
  onTestFinished(() => runner.close());
  return (account: string, query: string) => runner.run(account, query, new AbortController().signal);
}

/** Processes of this one that run queries. */
function hosts(): number[] {
  const read = (file: string) => {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      return '';
    }
  };
  const children = readdirSync('/proc/self/task').flatMap((thread) =>
    read(`/proc/self/task/${thread}/children`).split(' ').filter(Boolean),
  );
  return children.filter((pid) => read(`/proc/${pid}/cmdline`).includes('sql-host-main')).map(Number);
}

/** The most that any of them has had in memory until the answer is called. */
function watchPeak(): () => number {
  let peak = 0;
  const timer = setInterval(() => {
    for (const pid of hosts()) {
      try {
        const kib = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
        peak = Math.max(peak, Number(kib ?? 0) * 1_024);
      } catch {}
    }
  }, 10);
  onTestFinished(() => clearInterval(timer));
  return () => peak;
}

/** Arguments that no check can see before they are computed: only a bound on the process holds these. */
const GREEDY = [
  'SELECT len(range(60000000 + 0)) AS n',
  "SELECT length(repeat('x', 2000000000 + 0)) AS n",
  'SELECT len(list_resize([1], 300000000 + 0)) AS n',
  "SELECT len(list_transform(range(6000000 + 0), x -> x::VARCHAR || repeat('y', 100))) AS n",
  "SELECT list_reduce(list_transform(range(60), x -> 'x'), (a, b) -> a || a) IS NULL AS n",
  "SELECT len(string_split(repeat('a,', 20000000 + 0), ',')) AS n",
  "SELECT len(list(repeat('x', 1000))) AS n FROM range(4000000)",
  "WITH RECURSIVE t AS (SELECT 'x' AS a UNION ALL SELECT a || a FROM t WHERE length(a) < 4000000000) SELECT max(length(a)) AS n FROM t",
  // The C++ runtime ends the process for it.
  'SELECT histogram(x) AS n FROM range(60000000) r(x)',
  // V8 does: the list becomes an answer in its memory.
  'SELECT range(9000000 + 0) AS n',
];

// Fails when `boundMemory` bounds nothing: `len(range(…))` is answered, and others take gigabytes.
describe.runIf(process.platform === 'linux')('a query that asks for more memory than it may have', () => {
  test.each(GREEDY)(
    'is a 422 that names the limit, and the next one is answered: %s',
    { timeout: 120_000 },
    async (sql) => {
      const run = openRunner();
      const peak = watchPeak();
      await expect(run('acc_1', sql)).rejects.toMatchObject(OVER);
      expect(await run('acc_1', 'SELECT owner FROM logs')).toBe('[{"owner":"acc_1"}]');
      expect(peak()).toBeLessThan(PEAK_BYTES);
    },
  );

  test('is one too where only a watcher bounds it', { timeout: 120_000 }, async () => {
    const run = openRunner({ bound: watchMemory });
    const peak = watchPeak();
    await expect(run('acc_1', GREEDY[0] as string)).rejects.toMatchObject(OVER);
    expect(await run('acc_1', 'SELECT 1 AS a')).toBe('[{"a":1}]');
    expect(peak()).toBeLessThan(2 * PEAK_BYTES);
  });

  test('does nothing to the queries beside it', { timeout: 120_000 }, async () => {
    const run = openRunner();
    const beside = run('acc_2', 'SELECT count(*) AS n FROM range(3000000000)');
    await expect(run('acc_1', GREEDY[8] as string)).rejects.toMatchObject(OVER);
    expect(await beside).toBe('[{"n":3000000000}]');
  });

  test('leaves no core, and is the first that a machine without memory ends', async () => {
    const run = openRunner();
    await run('acc_1', 'SELECT 1');
    const [pid] = hosts();
    expect(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8')).toBe('1000\n');
    const limits = readFileSync(`/proc/${pid}/limits`, 'utf8');
    expect(limits).toMatch(/^Max core file size +0 +0 /m);
    expect(limits).not.toMatch(/^Max data size +unlimited/m);
  });
});

// Fails when each death of the process is said to be the query's own.
test.runIf(process.platform === 'linux')(
  'a process that is killed from outside is a 503, and the next query is answered',
  async () => {
    const run = openRunner();
    const doomed = expect(run('acc_1', SLOW)).rejects.toMatchObject({ code: 'unavailable' });
    await expect.poll(hosts).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve, 500));
    for (const pid of hosts()) process.kill(pid, 'SIGKILL');
    await doomed;
    expect(await run('acc_1', 'SELECT 1 AS a')).toBe('[{"a":1}]');
  },
);

/** Says of each process, at its `nth` query, that it holds too much. */
function overAt(nth: number): BoundMemory {
  return async (...args) => {
    const real = await boundMemory(...args);
    let queries = 0;
    return {
      watch(onOver) {
        if (++queries >= nth) setTimeout(onOver, 50);
        return real.watch(onOver);
      },
    };
  };
}

// Fails when `execute` does not run the query again in a new process.
test('what earlier queries left in a process does not count against the next one', async () => {
  const run = openRunner({ bound: overAt(2) });
  const query = 'SELECT count(*) AS n FROM range(1000000000)';
  for (let round = 0; round < 3; round++) expect(await run('acc_1', query)).toBe('[{"n":1000000000}]');
});

test('a query is run again once at most', async () => {
  const run = openRunner({ bound: overAt(1) });
  await expect(run('acc_1', SLOW)).rejects.toMatchObject(OVER);
});

// Fails when the last resort answers that the engine was restarted: who tries again then waits as long again.
test('a query that does not heed its time is ended with its process, and told that it was its time', async () => {
  const clock = createSystemClock();
  const quick: Clock = { ...clock, setTimer: (delayMs, callback) => clock.setTimer(delayMs / 20, callback) };
  const run = openRunner({ clock: quick, limits: { timeoutMs: 10_000 } });
  await expect(run('acc_1', SLOW)).rejects.toMatchObject({ details: { issues: [{ type: 'query_timeout' }] } });
  expect(await run('acc_1', 'SELECT 1 AS a')).toBe('[{"a":1}]');
});
