import { createError, type DeployErrorCode } from '@berth/contract';
import type { Database } from '@berth/database';
import {
  type AccountId,
  createLimiter,
  type DeployId,
  describeError,
  type IdSource,
  runInBackground,
  type Slot,
  type Timer,
} from '@berth/kit';
import type { Artifact } from '@berth/runtime';
import type { Expression, Kysely } from 'kysely';
import { POLL_MS } from '../../cluster/cluster.ts';
import { followServers } from '../../cluster/follow-servers.ts';
import { type AcceptedDeploy, waitingMessage } from './accept-deploy.ts';
import { cleanUpDeploy, restoreRoute } from './clean-up-deploy.ts';
import { failDeploy } from './deploy-steps.ts';
import { createDeployEventWriter } from './events/deploy-event-writer.ts';
import { createOutputTail } from './events/output-tail.ts';
import type { DeployContext } from './records/deploy-context.ts';
import { FAILURE_LOG_LINES, toDeployFailure } from './records/deploy-failure.ts';
import { type DeployLeases, LeaseLostError } from './records/deploy-lease.ts';
import type { DeployRecord } from './records/deploy-record.ts';
import { createDeployStore } from './records/deploy-store.ts';
import { type DeployRun, runDeploy } from './run-deploy.ts';

/** The id and lease of a new deploy. */
export interface DeployTicket {
  readonly id: DeployId;
  readonly leaseOwner: string;
  readonly leaseExpiresAt: Expression<number>;
}

/**
 * Drives deploys in the background, independent of any request.
 *
 * R1 Deploys of one name run one after another, in the order of acceptance, whichever servers accepted them; deploys of different names
 *    run in parallel.
 * R2 One run drives a deploy at a time, in the process that holds its lease. A process that lost the lease stops, and can record nothing.
 * R3 A driven deploy ends in DONE or ERROR, or is left to the next process when this one closes or the database
 *    fails. A deploy that no process drives is resumed within a third of a lease after its lease expired.
 */
export interface DeployRunner {
  /**
   * Records a deploy in its own transaction and drives it.
   * @param accept records the deploy, or returns undefined when there is nothing to do.
   * @throws `unavailable` once closing, and what `accept` throws.
   */
  submit<Deploy extends AcceptedDeploy | undefined>(
    accept: (transaction: Kysely<Database>, ticket: DeployTicket) => Promise<Deploy>,
  ): Promise<Deploy>;
  /** As {@link submit}, for several deploys in one transaction. */
  submitAll<Deploy extends AcceptedDeploy>(
    accept: (transaction: Kysely<Database>, newTicket: () => DeployTicket) => Promise<readonly Deploy[]>,
  ): Promise<readonly Deploy[]>;
  /** Cancels a deploy that this process drives; `message` is that of its ERROR. Another server finds the request in the database. */
  cancel(id: DeployId, message: string): void;
  /** Resolves when the deploys of a name that are unfinished now have ended. @throws the signal's reason */
  settled(account: AccountId, deployment: string, signal?: AbortSignal): Promise<void>;
  /** Resumes unfinished deploys, then polls for abandoned ones until closed. */
  start(): Promise<void>;
  /** Stops driving, leaving every deploy to the next process. Resolves after `waitMs` at the latest. Idempotent. */
  close(waitMs: number): Promise<void>;
}

export interface DeployRunnerOptions {
  /** Dependencies of the steps. Its `db` may wait during an outage. */
  readonly context: DeployContext;
  /** Database for new deploys, whose requests don't wait. */
  readonly db: DeployContext['db'];
  readonly leases: DeployLeases;
  readonly ids: IdSource;
  /** A third of a lease. */
  readonly heartbeatMs: number;
  /** Concurrent builds, of all names together. */
  readonly maxBuilds: number;
  /** Called once for each deploy that ended in this process. Must be quick and must not throw. */
  readonly onEnded?: ((result: DeployResult) => void) | undefined;
}

/** The result of a deploy: `done`, or the code of its ERROR. */
export type DeployResult = 'done' | DeployErrorCode;

interface Running {
  readonly deploy: DeployRecord;
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

/**
 * Why a running deploy is stopped from outside: `cancelled` ends it, after `closing` the next process goes on with it, and after `lost`
 * another one does already.
 */
class DeployStopped extends Error {
  readonly kind: 'cancelled' | 'closing' | 'lost';

  constructor(kind: DeployStopped['kind'], message: string) {
    super(message);
    this.name = 'DeployStopped';
    this.kind = kind;
  }
}

const CANCELED = 'The deploy was canceled.';
const LOST = 'Another server runs the deploy.';

/** The ERROR of a deploy whose deployment was deleted. */
export function deletedMessage(deployment: string): string {
  return `"${deployment}" was deleted during this deploy.`;
}

/** A deploy that was interrupted this often is ended, since it may be the cause. */
const MAX_ATTEMPTS = 4;

export function createDeployRunner(options: DeployRunnerOptions): DeployRunner {
  const { context, db, leases, ids, heartbeatMs, maxBuilds, onEnded } = options;
  const { clock, cluster, logger, signals } = context;
  const { isAlone } = cluster;
  const running = new Map<DeployId, Running>();
  const accepting = new Set<DeployId>();
  /** R1: a slot for each name. */
  const names = createLimiter({ concurrency: Number.POSITIVE_INFINITY, concurrencyPerKey: 1 });
  const builds = createLimiter({ concurrency: maxBuilds });
  let heartbeat: Timer | undefined;
  let isClosing = false;
  let closed: Promise<void> | undefined;
  let endReviews = async () => {};
  let endReleased = () => {};

  /** @param ahead what it was told about those before it */
  const launch = (deploy: DeployRecord, ahead = Number.POSITIVE_INFINITY) => {
    const controller = new AbortController();
    const done = drive(deploy, ahead, controller.signal).finally(() => running.delete(deploy.id));
    running.set(deploy.id, { deploy, controller, done });
    if (deploy.isCancelRequested) controller.abort(new DeployStopped('cancelled', CANCELED));
  };

  /** Resolves when one of the deploys has news, or soon. */
  async function newsOf(ids: readonly DeployId[], signal: AbortSignal | undefined): Promise<void> {
    const news = new AbortController();
    const unsubscribe = ids.map((id) => signals.subscribe(id, () => news.abort()));
    const ends = signal ? AbortSignal.any([signal, news.signal]) : news.signal;
    await clock.sleep(POLL_MS, ends).catch(() => {});
    for (const end of unsubscribe) end();
    signal?.throwIfAborted();
  }

  /** R1 on several servers: resolves when the deploys of the name that were accepted before are over. */
  async function whenFirst(deploy: DeployRecord, signal: AbortSignal, onAhead: (ahead: number) => void): Promise<void> {
    for (let before = 0; ; ) {
      const ahead = await createDeployStore(context.db).listAhead(deploy);
      if (ahead.length === 0) return;
      if (ahead.length !== before) onAhead(ahead.length);
      before = ahead.length;
      await newsOf(ahead, signal);
    }
  }

  async function drive(deploy: DeployRecord, ahead: number, signal: AbortSignal): Promise<void> {
    const events = createDeployEventWriter(context, deploy);
    const tail = createOutputTail(FAILURE_LOG_LINES);
    const built: Artifact[] = [];
    // Only news: one before it that is being cleaned up counts here, and not in what its first event says.
    let told = ahead;
    const onAhead = (count: number) => {
      if (count >= told) return;
      told = count;
      void events.write(deploy.step, { message: waitingMessage(count, deploy.deployment) });
    };
    let slot: Slot | undefined;
    try {
      signal.throwIfAborted();
      if (!isAlone) await whenFirst(deploy, signal, onAhead);
      // With several servers, only the clean-up of the one before is waited for here: a deploy that was taken over may be the earlier one.
      slot = await names.acquire({ key: deploy.deployment, signal, ...(isAlone ? { onAhead } : {}) });
      if (deploy.attempts > MAX_ATTEMPTS) {
        throw createError('internal', `The platform stopped ${MAX_ATTEMPTS} times during this deploy. Deploy again.`);
      }
      await runDeploy(context, deploy, { signal, events, tail, built, builds });
      logger.info({ deployId: deploy.id, deployment: deploy.deployment }, 'deploy finished');
      onEnded?.('done');
      await cleanUpDeploy(context, deploy, built);
    } catch (error) {
      await end(deploy, error, { signal, events, tail, built });
    } finally {
      slot?.release();
    }
  }

  async function end(
    deploy: DeployRecord,
    error: unknown,
    { signal, events, tail, built }: Omit<DeployRun, 'builds'>,
  ): Promise<void> {
    const stopped = signal.reason instanceof DeployStopped ? signal.reason : undefined;
    if (stopped?.kind === 'closing') return;
    if (stopped?.kind === 'lost' || error instanceof LeaseLostError) {
      logger.warn({ deployId: deploy.id }, 'another process is running this deploy');
      // This one may have moved the route before it noticed.
      return runInBackground('restore a route', restoreRoute(context, deploy), logger);
    }
    try {
      await events.flush();
      const cause = stopped ? createError('cancelled', stopped.message) : error;
      const failure = toDeployFailure(cause, deploy.id, tail.lines);
      if (failure.code === 'internal') {
        logger.error({ deployId: deploy.id, error: describeError(error) }, 'a deploy failed');
      }
      const artifact = await failDeploy(context, deploy, failure);
      logger.info(
        { deployId: deploy.id, deployment: deploy.deployment, code: failure.code },
        'deploy failed with an error',
      );
      onEnded?.(failure.code);
      await cleanUpDeploy(context, deploy, artifact ? [...built, artifact] : built);
      await restoreRoute(context, deploy);
    } catch (cause) {
      // The record still says that it is unfinished, so it is resumed later.
      logger.error({ deployId: deploy.id, error: describeError(cause) }, 'the end of a deploy could not be recorded');
    }
  }

  const takeUp = async (isForced: boolean) => {
    const taken = await leases.take({ isForced, except: [...running.keys(), ...accepting] });
    for (const deploy of taken) {
      logger.info({ deployId: deploy.id, step: deploy.step }, 'resuming an unfinished deploy');
      launch(deploy);
    }
  };
  let renewedMs = clock.monotonicMs();
  /** Extends the leases. When that fails for a whole lease, another server may drive the deploys. */
  const renew = async () => {
    const startedMs = clock.monotonicMs();
    try {
      await leases.renew();
      renewedMs = startedMs;
    } catch (error) {
      if (!isAlone && startedMs - renewedMs >= 3 * heartbeatMs) {
        for (const { controller } of running.values()) controller.abort(new DeployStopped('lost', LOST));
      }
      throw error;
    }
  };
  /** Stops what was canceled on another server, and what another server took over. */
  const review = async () => {
    const before = [...running.values()];
    if (before.length === 0) return;
    const held = new Map((await leases.list()).map((lease) => [lease.id, lease]));
    for (const { deploy, controller } of before) {
      const lease = held.get(deploy.id);
      if (lease?.epoch !== deploy.leaseEpoch) controller.abort(new DeployStopped('lost', LOST));
      else if (lease.isCancelRequested) {
        const message = lease.isDeleting ? deletedMessage(deploy.deployment) : CANCELED;
        controller.abort(new DeployStopped('cancelled', message));
      }
    }
  };
  const beat = () => {
    heartbeat = clock.setTimer(heartbeatMs, () => {
      const work = renew().then(() => (isClosing ? undefined : takeUp(false)));
      runInBackground(
        'deploy leases',
        work.finally(() => !isClosing && beat()),
        logger,
      );
    });
  };

  async function stopAll(waitMs: number): Promise<void> {
    for (const { controller } of running.values()) {
      controller.abort(new DeployStopped('closing', 'The platform is shutting down.'));
    }
    const alarm = new AbortController();
    const all = Promise.all([...running.values()].map((one) => one.done));
    await Promise.race([all, clock.sleep(waitMs, alarm.signal).catch(() => {})]);
    alarm.abort();
    await endReviews();
    await leases.release();
  }

  const submitAll: DeployRunner['submitAll'] = async (accept) => {
    if (isClosing) throw createError('unavailable', 'The platform is shutting down. Try again after it has restarted.');
    const own: DeployId[] = [];
    const newTicket = (): DeployTicket => {
      const id = ids.next<'deploy'>('dpl');
      own.push(id);
      accepting.add(id);
      return { id, leaseOwner: leases.owner, leaseExpiresAt: leases.expiry() };
    };
    try {
      const deploys = await db.transaction().execute((transaction) => accept(transaction, newTicket));
      if (!isClosing) for (const deploy of deploys) launch(deploy, deploy.ahead);
      return deploys;
    } finally {
      for (const id of own) accepting.delete(id);
    }
  };

  return {
    submitAll,
    async submit<Deploy extends AcceptedDeploy | undefined>(
      accept: (transaction: Kysely<Database>, ticket: DeployTicket) => Promise<Deploy>,
    ) {
      const accepted: Deploy[] = [];
      await submitAll(async (transaction, newTicket) => {
        // A transaction that conflicts with another is repeated.
        accepted.splice(0, 1, await accept(transaction, newTicket()));
        return accepted.filter((deploy) => deploy !== undefined);
      });
      return accepted[0] as Deploy;
    },
    cancel: (id, message) => running.get(id)?.controller.abort(new DeployStopped('cancelled', message)),
    async settled(account, deployment, signal) {
      const own = [...running.values()].filter((one) => one.deploy.deployment === deployment);
      await Promise.all(own.map((one) => one.done));
      while (!isAlone) {
        const others = await createDeployStore(context.db).listUnfinished(account, deployment);
        if (others.length === 0) return;
        await newsOf(
          others.map(({ id }) => id),
          signal,
        );
      }
    },
    async start() {
      await takeUp(isAlone);
      beat();
      endReviews = followServers({ cluster, clock, logger, channel: 'deploys', pollMs: POLL_MS, look: review });
      endReleased = cluster.subscribe('deploys', (id) => {
        // A server that closes has left its deploys.
        if (id === '' && !isClosing) runInBackground('take up deploys', takeUp(false), logger);
      });
    },
    close(waitMs) {
      isClosing = true;
      endReleased();
      heartbeat?.cancel();
      closed ??= stopAll(waitMs);
      return closed;
    },
  };
}
