import type { AccountSource, AuditLog } from '@berth/accounts';
import {
  createError,
  createValidationError,
  MAX_SHARES,
  MAX_TAGS,
  type SetTrafficRequest,
  type Traffic as TrafficView,
  tagLabel,
  tagProblem,
  type ValidationIssue,
} from '@berth/contract';
import type { Database } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely } from 'kysely';
import { createRevisionStore } from '../revisions/revision-store.ts';
import { createDeploymentStore, type DeploymentRecord } from '../store/deployment-store.ts';
import type { Traffic, TrafficOptions } from './create-traffic.ts';
import { createTrafficStore, type TrafficRecord } from './traffic-store.ts';

/** Options of {@link createTrafficChanges}. */
export interface TrafficChangesOptions extends Pick<TrafficOptions, 'db' | 'cluster' | 'routes'> {
  readonly traffic: Pick<Traffic, 'apply'>;
  readonly audit: Pick<AuditLog, 'record'>;
  /** The address of a deployment or of a tag. */
  urlOf(label: string): string;
}

/** Splits and tags as the API offers them. */
export type TrafficChanges = ReturnType<typeof createTrafficChanges>;

export function createTrafficChanges({ db, cluster, routes, traffic, audit, urlOf }: TrafficChangesOptions) {
  const view = (name: string, current: string, { shares, tags, canary }: TrafficRecord): TrafficView => {
    const others = [...shares].filter(([revision]) => revision !== current);
    const rest = 100 - others.reduce((sum, [, percent]) => sum + percent, 0);
    return {
      split: [[current, rest] as const, ...others].map(([revision, percent]) => ({ revision, percent })),
      tags: [...tags].map(([tag, revision]) => ({ tag, revision, url: urlOf(tagLabel(tag, name)) })),
      canary: canary
        ? { revision: canary.revision, deploy_id: canary.deployId, ends_at: new Date(canary.endsAtMs).toISOString() }
        : null,
    };
  };
  const get = async (account: AccountId, name: string): Promise<TrafficView> => {
    const { currentRevision } = await createDeploymentStore(db).get(account, name);
    return view(name, requireLive(name, currentRevision), await createTrafficStore(db).find(account, name));
  };
  return {
    /** @throws `forbidden`, `not_found`; `conflict` when no revision is live */
    get,
    /**
     * Changes the split and the tags of a deployment. The gateways of this server have the change when it resolves.
     * @throws `forbidden`, `not_found`; `conflict` when no revision is live, or a canary runs; `invalid` with every wrong field.
     */
    async set(account: AccountId, request: SetTrafficRequest, source: AccountSource): Promise<TrafficView> {
      const { name, split, set_tags: setTags = {}, remove_tags: removeTags = [] } = request;
      await db.transaction().execute(async (transaction) => {
        const deployment = await createDeploymentStore(transaction).get(account, name);
        if (deployment.status === 'deleting') throw createError('conflict', `"${name}" is being deleted.`);
        const current = requireLive(name, deployment.currentRevision);
        const store = createTrafficStore(transaction);
        const before = await store.find(account, name);
        const issues = [
          ...(split ? checkSplit(split, current) : []),
          ...checkTags(name, setTags, before.tags, removeTags),
          ...(await checkRevisions(transaction, deployment, { split, setTags })),
        ];
        if (issues.length > 0) throw createValidationError(issues);
        if (split && before.canary) {
          const { revision, deployId } = before.canary;
          throw createError('conflict', `${revision} is a canary. End it first: \`berth cancel ${deployId}\`.`);
        }
        if (split) {
          const others = Object.entries(split).filter(([revision, percent]) => revision !== current && percent > 0);
          await store.setShares(account, name, new Map(others));
        }
        await store.removeTags(account, name, removeTags);
        for (const [tag, revision] of Object.entries(setTags)) await store.setTag(account, name, tag, revision);
        const { name: _name, ...details } = request;
        await audit.record({ ...source, action: 'deployment.traffic', target: name, details }, transaction);
        await cluster.publish('routes', name, transaction);
      });
      await routes.run(name, () => traffic.apply(name));
      return get(account, name);
    },
  };
}

/** The error for a tag that is one too many. */
export function tooManyTags(name: string) {
  return createValidationError([
    {
      loc: ['body', 'tag'],
      msg: `"${name}" has ${MAX_TAGS} tags, the maximum; remove one first`,
      type: 'too_many_tags',
    },
  ]);
}

function requireLive(name: string, current: string | null): string {
  if (current !== null) return current;
  throw createError('conflict', `No revision of "${name}" is live yet. Deploy it first.`);
}

function checkSplit(split: Readonly<Record<string, number>>, current: string): ValidationIssue[] {
  const percents = Object.values(split);
  const sum = percents.reduce((total, percent) => total + percent, 0);
  const fault = (msg: string, type: string) => [{ loc: ['body', 'split'], msg, type }];
  if (percents.length > MAX_SHARES) return fault(`has more than ${MAX_SHARES} revisions`, 'too_many_shares');
  if (sum > 100) return fault(`the percentages sum up to ${sum}; 100 are allowed`, 'split_above_100');
  // Without the current revision, it gets the rest.
  if (Object.hasOwn(split, current) && sum !== 100) {
    return fault(
      `the percentages sum up to ${sum}; with the current revision, they must sum up to 100`,
      'split_not_100',
    );
  }
  return [];
}

function checkTags(
  name: string,
  setTags: Readonly<Record<string, string>>,
  before: ReadonlyMap<string, string>,
  removed: readonly string[],
): ValidationIssue[] {
  const tags = Object.keys(setTags);
  const issues = tags.flatMap((tag): ValidationIssue[] => {
    const problem = tagProblem(tag, name);
    return problem === undefined ? [] : [{ loc: ['body', 'set_tags', tag], msg: problem, type: 'tag_invalid' }];
  });
  const after = new Set([...[...before.keys()].filter((tag) => !removed.includes(tag)), ...tags]);
  if (after.size > MAX_TAGS) {
    issues.push({ loc: ['body', 'set_tags'], msg: `more than ${MAX_TAGS} tags`, type: 'too_many_tags' });
  }
  return issues;
}

async function checkRevisions(
  db: Kysely<Database>,
  { accountId, name }: DeploymentRecord,
  {
    split = {},
    setTags,
  }: { split: Readonly<Record<string, number>> | undefined; setTags: Readonly<Record<string, string>> },
): Promise<ValidationIssue[]> {
  const named = [
    ...Object.keys(split).map((revision) => ({ field: 'split', revision })),
    ...Object.values(setTags).map((revision) => ({ field: 'set_tags', revision })),
  ];
  if (named.length === 0) return [];
  const ready = new Set(
    (await createRevisionStore(db).list(accountId, name))
      .filter(({ status, artifact }) => status === 'ready' && artifact !== null)
      .map(({ revision }) => revision),
  );
  return named
    .filter(({ revision }) => !ready.has(revision))
    .map(({ field, revision }) => ({
      loc: ['body', field, revision.slice(0, 100)],
      msg: `"${name}" has no ready revision of this name; \`berth get ${name}\` lists them`,
      type: 'revision_unknown',
    }));
}
