import type { ScheduleAttempt, ScheduleRun } from '@berth/contract';
import type { Database, ScheduleAttemptsTable, ScheduleRunsTable } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely, Selectable } from 'kysely';

/** The history of scheduled runs, in the API's shape. */
export function createScheduleRunStore(db: Kysely<Database>) {
  const withAttempts = async (rows: readonly Selectable<ScheduleRunsTable>[]): Promise<ScheduleRun[]> => {
    if (rows.length === 0) return [];
    const attempts = await db
      .selectFrom('schedule_attempts')
      .selectAll()
      .where(
        'run_id',
        'in',
        rows.map((row) => row.id),
      )
      .orderBy('number')
      .execute();
    const byRun = Map.groupBy(attempts, (attempt) => attempt.run_id);
    return rows.map((row) => toRun(row, byRun.get(row.id) ?? []));
  };
  return {
    /** Newest first; `before` is the previous page's `next_page_token`. */
    async list({
      account,
      deployment,
      limit,
      before,
    }: {
      readonly account: AccountId;
      readonly deployment: string;
      readonly limit: number;
      readonly before?: string | undefined;
    }): Promise<{ readonly runs: ScheduleRun[]; readonly nextPageToken: string | null }> {
      let query = db
        .selectFrom('schedule_runs')
        .selectAll()
        .where('account_id', '=', account)
        .where('deployment', '=', deployment);
      if (before !== undefined) query = query.where('id', '<', before);
      // One extra row shows whether there is another page.
      const rows = await query
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute();
      const page = rows.slice(0, limit);
      return {
        runs: await withAttempts(page),
        nextPageToken: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
      };
    },
    /** The newest run of each of the account's deployments that has one. */
    async newest(account: AccountId): Promise<ReadonlyMap<string, ScheduleRun>> {
      const rows = await db
        .selectFrom('schedule_runs')
        .selectAll()
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('schedule_runs')
            .select((run) => run.fn.max('id').as('id'))
            .where('account_id', '=', account)
            .groupBy('deployment'),
        )
        .execute();
      return new Map((await withAttempts(rows)).map((run) => [run.deployment_name, run]));
    },
    async find(account: AccountId, id: string): Promise<ScheduleRun | undefined> {
      const rows = await db
        .selectFrom('schedule_runs')
        .selectAll()
        .where('account_id', '=', account)
        .where('id', '=', id)
        .execute();
      return (await withAttempts(rows))[0];
    },
  };
}

const time = (ms: number) => new Date(ms).toISOString();
const timeOrNull = (ms: number | null) => (ms === null ? null : time(ms));

function toRun(
  row: Selectable<ScheduleRunsTable>,
  attempts: readonly Selectable<ScheduleAttemptsTable>[],
): ScheduleRun {
  return {
    id: row.id,
    deployment_name: row.deployment,
    trigger: row.trigger,
    scheduled_at: time(row.scheduled_at),
    status: row.status,
    attempts: attempts.map(toAttempt),
    next_attempt_at: timeOrNull(row.next_attempt_at),
    ended_at: timeOrNull(row.ended_at),
  };
}

function toAttempt(row: Selectable<ScheduleAttemptsTable>): ScheduleAttempt {
  return {
    attempt: row.number,
    started_at: time(row.started_at),
    ended_at: timeOrNull(row.ended_at),
    status: row.response_status,
    error: row.error,
  };
}
