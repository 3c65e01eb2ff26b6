import { describeError, runInBackground, type Timer } from '@berth/kit';
import { type Cluster, createSoleCluster } from '../cluster/cluster.ts';
import { createLeases } from '../cluster/leases.ts';
import { createConnectedRepositories } from './connected-repositories.ts';
import { createHookReceiver } from './receive-hook.ts';
import type { RepositoryContext } from './repository-context.ts';
import { createRepositoryWork, type DueRepository } from './repository-work.ts';

/** How often work is looked for. */
const TICK_MS = 1_000;
/** Repositories that one server works on at once, of all accounts and of one: forges that answer slowly hold up their own account. */
const CONCURRENCY = 8;
const CONCURRENCY_OF_ACCOUNT = 2;

/** Options of {@link createRepositories}. */
export interface CreateRepositoriesOptions extends RepositoryContext {
  readonly cluster?: Cluster;
  readonly leaseMs?: number;
}

/** Repositories in GitHub, GitLab, Gitea and Forgejo: their API, their webhooks, and the deploys and previews that follow. */
export type Repositories = ReturnType<typeof createRepositories>;

export function createRepositories(options: CreateRepositoriesOptions) {
  const { clock, logger, cluster = createSoleCluster(clock) } = options;
  const work = createRepositoryWork(options);
  const leases = createLeases({ ...options, cluster });
  const running = new Map<string, { readonly account: string; readonly done: Promise<unknown> }>();
  const closing = new AbortController();
  let timer: Timer | undefined;

  /** Works on a repository, unless another server does. */
  const workOn = ({ id, account }: DueRepository) => {
    const done = leases
      .run(`repository ${id}`, (lease) =>
        work.run(id, { ...lease, signal: AbortSignal.any([lease.signal, closing.signal]) }),
      )
      .catch((error: unknown) => {
        if (closing.signal.aborted) return;
        logger.error({ repository: id, error: describeError(error) }, 'work on a repository failed; will retry');
      })
      .finally(() => running.delete(id));
    running.set(id, { account, done });
  };

  const look = async (): Promise<void> => {
    for (const due of await work.findDue()) {
      if (closing.signal.aborted || running.size >= CONCURRENCY) return;
      const ofAccount = [...running.values()].filter(({ account }) => account === due.account);
      if (!running.has(due.id) && ofAccount.length < CONCURRENCY_OF_ACCOUNT) workOn(due);
    }
  };

  const tick = () => {
    if (closing.signal.aborted) return;
    const looking = look().finally(() => {
      if (!closing.signal.aborted) timer = clock.setTimer(TICK_MS, tick);
    });
    runInBackground('work on repositories', looking, logger);
  };

  const { forget, ...connected } = createConnectedRepositories(options);
  return {
    connected,
    hooks: createHookReceiver(options),
    /** Disconnects the repository of a deployment that is being deleted, if it has one. */
    forget,
    /** Begins to deploy, to report and to delete previews. */
    start: tick,
    /** Stops after the running work or `boundMs`; what it didn't finish goes on after the next start. Idempotent. */
    async close(boundMs: number): Promise<void> {
      closing.abort();
      timer?.cancel();
      const bound = new AbortController();
      await Promise.race([
        Promise.all([...running.values()].map(({ done }) => done)),
        clock.sleep(boundMs, bound.signal).catch(() => {}),
      ]);
      bound.abort();
    },
  };
}
