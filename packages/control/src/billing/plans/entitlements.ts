import {
  createError,
  createValidationError,
  type DeploySettings,
  type PlanLimits,
  parseMemory,
  type ValidationIssue,
} from '@berth/contract';
import type { Database } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely } from 'kysely';
import { createDeploymentStore } from '../../deployments/store/deployment-store.ts';
import { type Plan, type Plans, planOf } from './plans.ts';

/**
 * The limits of an account's plan. Each check runs in the caller's transaction, right before the change it guards, so that two
 * concurrent calls can't both take the last free place.
 */
export type Entitlements = ReturnType<typeof createEntitlements>;

export function createEntitlements(plans: Plans) {
  const plan = async (db: Kysely<Database>, account: AccountId) => {
    const row = await db.selectFrom('accounts').select('plan').where('id', '=', account).executeTakeFirstOrThrow();
    return planOf(plans, row.plan);
  };
  const requireName = async (db: Kysely<Database>, account: AccountId) => {
    const { name, limits } = await plan(db, account);
    const { count } = await db
      .selectFrom('deployments')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('account_id', '=', account)
      .executeTakeFirstOrThrow();
    if (Number(count) >= limits.deployments) throw reached(name, 'deployments', limits.deployments);
  };
  const requireVolumes = async (db: Kysely<Database>, account: AccountId, more: number) => {
    const { name, limits } = await plan(db, account);
    const { count } = await db
      .selectFrom('volumes')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('account_id', '=', account)
      .executeTakeFirstOrThrow();
    if (Number(count) + more > limits.volumes) throw reached(name, 'volumes', limits.volumes);
  };
  return {
    planOf: plan,
    /**
     * Checks a deploy: its settings, its name if new, and the volumes it creates.
     * @throws `invalid` with the settings above the plan; `too_many_requests` naming the limit.
     */
    async requireDeploy(
      db: Kysely<Database>,
      account: AccountId,
      {
        name,
        volumes,
        ...settings
      }: Pick<DeploySettings, 'name' | 'memoryBytes' | 'maxInstances' | 'minInstances' | 'volumes'>,
    ): Promise<void> {
      const issues = settingIssues(await plan(db, account), settings);
      if (issues.length > 0) throw createValidationError(issues);
      if ((await createDeploymentStore(db).ownership(account, name)) === 'free') await requireName(db, account);
      const names = [...new Set(volumes.map((mount) => mount.name))];
      if (names.length === 0) return;
      const known = await db
        .selectFrom('volumes')
        .select('name')
        .where('account_id', '=', account)
        .where('name', 'in', names)
        .execute();
      if (known.length < names.length) await requireVolumes(db, account, names.length - known.length);
    },
    /** Checks an upload. @throws `too_many_requests` when the plan's storage is used up. */
    async requireStorage(db: Kysely<Database>, account: AccountId): Promise<void> {
      const { name, limits } = await plan(db, account);
      const { bytes } = await db
        .selectFrom('volumes')
        .select((eb) => eb.fn.sum<number>('size_bytes').as('bytes'))
        .where('account_id', '=', account)
        .executeTakeFirstOrThrow();
      if (Number(bytes ?? 0) < limits.storage_bytes) return;
      throw createError(
        'too_many_requests',
        `The plan "${name}" allows ${limits.storage_bytes} bytes in volumes (limit "storage_bytes"). Delete objects, or ask the operator for another plan.`,
      );
    },
    /** Checks one more deployment. @throws `too_many_requests` at the limit of the plan. */
    requireName,
    /** Checks `more` new volumes. @throws `too_many_requests` when they exceed the plan. */
    requireVolumes,
  };
}

function settingIssues(
  { name, limits }: Plan,
  { memoryBytes, maxInstances, minInstances }: Pick<DeploySettings, 'memoryBytes' | 'maxInstances' | 'minInstances'>,
): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  const above = (field: 'memory' | 'max_instances' | 'min_instances', limit: string | number) =>
    issues.push({ loc: ['body', field], msg: `the plan "${name}" allows at most ${limit}`, type: 'plan_limit' });
  if (memoryBytes > (parseMemory(limits.memory) ?? 0)) above('memory', limits.memory);
  if (maxInstances > limits.max_instances) above('max_instances', limits.max_instances);
  if (minInstances > limits.max_instances) above('min_instances', limits.max_instances);
  return issues;
}

function reached(plan: string, limit: keyof PlanLimits, count: number) {
  return createError(
    'too_many_requests',
    `The plan "${plan}" allows ${count} ${limit} (limit "${limit}"). Delete one, or ask the operator for another plan.`,
  );
}
