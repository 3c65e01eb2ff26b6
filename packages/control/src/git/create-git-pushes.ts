import { createReadStream } from 'node:fs';
import type { AccountSource, AuditLog } from '@berth/accounts';
import type { Builder, StoredArchive } from '@berth/builder';
import { createError, deploymentNameProblem, LIMITS, type PushRepository } from '@berth/contract';
import { type Git, type GitRepository, type PushCommand, packBranch, readSubject } from '@berth/git';
import { type AccountId, BerthError, createLimiter, describeError } from '@berth/kit';
import type { ObjectStore, VolumePlace } from '@berth/object-store';
import type { Entitlements } from '../billing/plans/entitlements.ts';
import type { ControlContext } from '../context/control-context.ts';
import type { Deployments } from '../deployments/create-deployments.ts';
import { type MountRules, refuseMounts } from '../deployments/deploys/intake/read-deploy-request.ts';
import { createDeploymentStore } from '../deployments/store/deployment-store.ts';
import { commitSettings, readFileSettings } from './commit-settings.ts';
import { createPushedBranches, type PushedBranch } from './pushed-branches.ts';

/** Options of {@link createGitPushes}. */
export interface GitPushesOptions extends MountRules, Pick<ControlContext, 'db' | 'clock' | 'logger'> {
  readonly git: Git;
  /** Keeps the history of each branch. */
  readonly objects: ObjectStore;
  readonly builder: Pick<Builder, 'receive' | 'discard'>;
  readonly deployments: Pick<Deployments, 'deploys'>;
  readonly audit: Pick<AuditLog, 'record'>;
  readonly entitlements: Pick<Entitlements, 'requireName'>;
  readonly reservedNames: readonly string[];
  /** The address of the API, without a trailing slash. */
  readonly apiUrl: string;
}

/** A deployment that a caller pushes to. */
export interface PushTarget {
  readonly account: AccountId;
  readonly name: string;
}

/** A push whose objects were received. */
export interface ReceivedPush extends PushTarget {
  readonly source: AccountSource;
  readonly branch: PushedBranch;
  readonly command: PushCommand & { readonly after: string };
  readonly repository: GitRepository;
  /** Adds the received objects to the repository. */
  index(): Promise<void>;
  /** Receives progress for the person who pushes. */
  say(line: string): void;
}

/** Deploys by `git push`. */
export type GitPushes = ReturnType<typeof createGitPushes>;

/** Pushes of this server that are checked at a time, one of each account; each may use a core and the memory limit of Git. */
const PARALLEL_CHECKS = 2;
/** Pushes of one account at a time, since each may fill the disk up to the limit. */
const MAX_OPEN = 4;
/** Packs of pushes that were not recorded are removed after this time, when no push can still be at work. */
const ABANDONED_MS = 24 * 3_600_000;
const MAX_SUBJECT = 200;
/** Owns the work of Git in the sandbox: one user for each account, which no deployment can be, however many names are pushed to. */
const SANDBOX_OWNER = '_git';

/**
 * Creates the service. Invariants:
 * 1. A branch moves in the transaction that accepts its deploy. A crash leaves neither or both.
 * 2. The history is in the object store before that transaction. A pack is never written twice, so a push that lost changes nothing.
 * 3. Only the sandbox runs Git.
 */
export function createGitPushes(options: GitPushesOptions) {
  const { db, clock, logger, git, objects, builder, deployments, audit, entitlements, reservedNames, apiUrl } = options;
  const branches = createPushedBranches(db);
  const checks = createLimiter({ concurrency: PARALLEL_CHECKS, concurrencyPerKey: 1 });
  const open = new Map<AccountId, number>();
  const placeOf = (account: AccountId): VolumePlace => ({ account: 'git', storageId: account });

  /** Returns the branch, which is empty when its history isn't in the object store: a copied database may have come without it. */
  const readBranch = async ({ account, name }: PushTarget): Promise<PushedBranch> => {
    const branch = await branches.get(account, name);
    if (branch.object === undefined || (await objects.find(placeOf(account), branch.object))) return branch;
    return { ...branch, commit: undefined, deployed: undefined, object: undefined };
  };

  /** @throws `not_found` for a name that can't be a deployment's, `forbidden` for another account's */
  const requireName = async ({ account, name }: PushTarget) => {
    const problem = deploymentNameProblem(name, reservedNames);
    if (problem) throw createError('not_found', `There is no repository of this name. ${problem}`);
    const deploymentStore = createDeploymentStore(db);
    const ownership = await deploymentStore.ownership(account, name);
    return ownership === 'free' ? undefined : deploymentStore.get(account, name);
  };

  async function* readObject(account: AccountId, path: string): AsyncGenerator<Uint8Array> {
    await using object = await objects.open(placeOf(account), path);
    if (!object) throw createError('unavailable', 'The repository has changed. Try again.');
    yield* object.read();
  }

  const storeHistory = async ({ account, name, branch, command, repository }: ReceivedPush): Promise<string> => {
    const kept = [branch.commit, branch.deployed].filter((id) => id !== undefined);
    const pack = await packBranch(repository, command.after, kept);
    if (pack.sizeBytes > git.limits.packBytes) {
      throw createError('payload_too_large', `The history is over ${git.limits.packBytes / 2 ** 20} MiB.`);
    }
    const object = `${name}/${crypto.randomUUID()}.pack`;
    await objects.put(placeOf(account), object, createReadStream(pack.path, { start: pack.offset }));
    return object;
  };

  const archive = async ({ repository, command }: ReceivedPush): Promise<StoredArchive> => {
    const { path, sizeBytes } = await git.archiveCommit({ repository, commit: command.after });
    if (sizeBytes > LIMITS.archiveBytes) {
      throw createError('archive_too_large', 'The files of the commit are over 100 MiB when compressed.');
    }
    return builder.receive(createReadStream(path), { maxBytes: LIMITS.archiveBytes });
  };

  /** Removes packs of the deployment that no record names. */
  const sweep = async ({ account, name }: PushTarget, current: string, before: string | undefined): Promise<void> => {
    const { objects: found } = await objects.list(placeOf(account), { prefix: `${name}/`, limit: 100 });
    for (const { path, updatedAtMs } of found) {
      const isAbandoned = path === before || updatedAtMs < clock.nowMs() - ABANDONED_MS;
      if (path !== current && isAbandoned) await objects.delete(placeOf(account), path);
    }
  };

  const accept = async (push: ReceivedPush): Promise<string> => {
    const { account, name, source, branch, command, repository, index, say } = push;
    const deployment = await requireName(push);
    if (branch.object !== undefined) await repository.addPack(readObject(account, branch.object));
    await index();
    const subject = (await readSubject(repository, command.after)).slice(0, MAX_SUBJECT);
    say(`Commit ${command.after.slice(0, 10)} on ${branch.name}: ${subject}`);
    const deployed = deployment?.settings ?? undefined;
    const settings = commitSettings(name, { deployed, file: await readFileSettings(repository, command.after) });
    refuseMounts(settings, options);
    const object = await storeHistory(push);
    let stored: StoredArchive | undefined;
    try {
      stored = await archive(push);
      const { id } = await deployments.deploys.start({
        ...{ account, source, settings, archive: stored },
        commit: { sha: command.after, subject, branch: branch.name },
        onAccept: (transaction, deploy) =>
          createPushedBranches(transaction).advance(
            account,
            name,
            branch,
            { commit: command.after, deployId: deploy.id, object },
            clock.nowMs(),
          ),
      });
      await sweep(push, object, branch.object).catch((error: unknown) =>
        logger.warn({ deployment: name, error: describeError(error) }, 'packs of earlier pushes could not be removed'),
      );
      return id;
    } catch (error) {
      if (stored) await builder.discard(stored);
      // After another error, such as a lost connection, the transaction may have been committed. The next push sweeps.
      if (BerthError.is(error) && !error.isRetryable) await objects.delete(placeOf(account), object);
      throw error;
    }
  };

  return {
    limits: git.limits,
    requireProgram: git.requireProgram,
    requireName,
    readBranch,
    /** Yields the pack with the branch's history. */
    readHistory: ({ account }: PushTarget, { object }: PushedBranch): AsyncIterable<Uint8Array> => {
      if (object === undefined) throw createError('not_found', 'Nothing was pushed yet.');
      return readObject(account, object);
    },
    /**
     * Opens a repository for the objects of a push. The caller disposes it.
     * @throws `not_available` without Git; `too_many_requests`
     */
    async openRepository({ account }: PushTarget): Promise<GitRepository> {
      const count = open.get(account) ?? 0;
      if (count >= MAX_OPEN) {
        throw createError(
          'too_many_requests',
          `${MAX_OPEN} pushes of the account are running, the maximum. Try again.`,
        );
      }
      open.set(account, count + 1);
      const free = () => {
        const left = (open.get(account) ?? 1) - 1;
        if (left > 0) open.set(account, left);
        else open.delete(account);
      };
      try {
        const repository = await git.openRepository({ account, deployment: SANDBOX_OWNER });
        return {
          ...repository,
          async [Symbol.asyncDispose]() {
            free();
            await repository[Symbol.asyncDispose]();
          },
        };
      } catch (error) {
        free();
        throw error;
      }
    },
    /**
     * Checks a push, stores its history, and accepts its deploy.
     * @returns the id of the deploy, which goes on in the background.
     * @throws `bad_request` for damaged objects; as a deploy; `conflict` when another push was faster
     */
    accept: (push: ReceivedPush): Promise<string> => checks.run(() => accept(push), { key: push.account }),
    /** @throws `forbidden`, `not_found` */
    async describe(target: PushTarget): Promise<PushRepository> {
      await requireName(target);
      const { name: branch, commit } = await readBranch(target);
      return { name: target.name, url: `${apiUrl}/git/${target.name}.git`, branch, commit: commit ?? null };
    },
    /** Chooses the branch that deploys. A free name is reserved. @throws `forbidden`, `not_found`, `conflict`, `too_many_requests` */
    async setBranch({ account, name }: PushTarget, branch: string, source: AccountSource): Promise<void> {
      const existing = await requireName({ account, name });
      await db.transaction().execute(async (transaction) => {
        if (!existing) await entitlements.requireName(transaction, account);
        const { status } = await createDeploymentStore(transaction).claim(account, name, clock.nowMs());
        if (status === 'deleting') throw createError('conflict', `"${name}" is being deleted.`);
        const pushed = createPushedBranches(transaction);
        const before = await pushed.get(account, name);
        if (before.name === branch && before.version > 0) return;
        await pushed.rename(account, name, before, branch, clock.nowMs());
        const details = { branch, before: before.name };
        await audit.record({ ...source, action: 'deployment.set_branch', target: name, details }, transaction);
      });
    },
    /** Removes the history of a deployment that is deleted. */
    async forget(account: AccountId, name: string): Promise<void> {
      const place = placeOf(account);
      const { objects: found } = await objects.list(place, { prefix: `${name}/`, limit: 1_000 });
      for (const { path } of found) await objects.delete(place, path);
    },
  };
}
