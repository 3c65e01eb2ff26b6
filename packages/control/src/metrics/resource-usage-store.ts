import type { Database } from '@berth/database';
import type { AccountId } from '@berth/kit';
import { type Kysely, sql } from 'kysely';

/** The use of a deployment's instances in a step of one or more minutes. */
export interface ResourceUsage {
  /** The start of the step, epoch milliseconds. */
  readonly startMs: number;
  /** CPU time of all instances together. */
  readonly cpuMs: number;
  /** Running time, summed over instances. */
  readonly instanceMs: number;
  /** Memory times running time, summed over instances. */
  readonly memoryByteMs: number;
  /** The highest memory sample of one instance. */
  readonly memoryMaxBytes: number;
  /** The most instances that ran at once. */
  readonly instances: number;
}

export interface DeploymentUsage extends ResourceUsage {
  readonly account: AccountId;
  readonly deployment: string;
}

/** Rows per statement: a row has eight values, and SQLite takes 32,766 in a statement. */
const ROWS_AT_ONCE = 500;

/** CPU and memory of deployments by minute, in the database. */
export type ResourceUsageStore = ReturnType<typeof createResourceUsageStore>;

export function createResourceUsageStore(db: Kysely<Database>) {
  return {
    /** Adds to the rows of the same minutes, atomically. `startMs` is a whole minute. */
    async add(rows: readonly DeploymentUsage[]): Promise<void> {
      await db.transaction().execute(async (transaction) => {
        for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
          await transaction
            .insertInto('resource_usage')
            .values(rows.slice(from, from + ROWS_AT_ONCE).map(toRow))
            .onConflict((conflict) =>
              conflict.columns(['account_id', 'deployment', 'minute']).doUpdateSet((eb) => {
                const sum = (column: 'cpu_ms' | 'instance_ms' | 'memory_byte_ms') =>
                  eb(`resource_usage.${column}`, '+', eb.ref(`excluded.${column}`));
                const most = (column: 'memory_max_bytes' | 'instances') =>
                  eb
                    .case()
                    .when(`resource_usage.${column}`, '>', eb.ref(`excluded.${column}`))
                    .then(eb.ref(`resource_usage.${column}`))
                    .else(eb.ref(`excluded.${column}`))
                    .end();
                return {
                  cpu_ms: sum('cpu_ms'),
                  instance_ms: sum('instance_ms'),
                  memory_byte_ms: sum('memory_byte_ms'),
                  memory_max_bytes: most('memory_max_bytes'),
                  instances: most('instances'),
                };
              }),
            )
            .execute();
        }
      });
    },
    /** Returns the use in a range, in steps of whole minutes counted from 1970, oldest first; steps without use are absent. */
    async list(
      account: AccountId,
      deployment: string,
      fromMs: number,
      stepMs: number,
      toMs?: number,
    ): Promise<ResourceUsage[]> {
      const step = sql<number>`minute - minute % ${sql.lit(stepMs)}`;
      const rows = await db
        .selectFrom('resource_usage')
        .select((eb) => [
          step.as('start'),
          eb.fn.sum<number>('cpu_ms').as('cpu_ms'),
          eb.fn.sum<number>('instance_ms').as('instance_ms'),
          eb.fn.sum<number>('memory_byte_ms').as('memory_byte_ms'),
          eb.fn.max('memory_max_bytes').as('memory_max_bytes'),
          eb.fn.max('instances').as('instances'),
        ])
        .where('account_id', '=', account)
        .where('deployment', '=', deployment)
        .where('minute', '>=', fromMs)
        .$if(toMs !== undefined, (query) => query.where('minute', '<', toMs ?? 0))
        .groupBy(step)
        .orderBy(step)
        .execute();
      return rows.map((row) => ({
        startMs: Number(row.start),
        cpuMs: Number(row.cpu_ms),
        instanceMs: Number(row.instance_ms),
        memoryByteMs: Number(row.memory_byte_ms),
        memoryMaxBytes: Number(row.memory_max_bytes),
        instances: row.instances,
      }));
    },
    async removeBefore(timeMs: number): Promise<void> {
      await db.deleteFrom('resource_usage').where('minute', '<', timeMs).execute();
    },
  };
}

function toRow({ account, deployment, ...usage }: DeploymentUsage) {
  return {
    account_id: account,
    deployment,
    minute: usage.startMs,
    cpu_ms: usage.cpuMs,
    instance_ms: usage.instanceMs,
    memory_byte_ms: usage.memoryByteMs,
    memory_max_bytes: usage.memoryMaxBytes,
    instances: usage.instances,
  };
}
