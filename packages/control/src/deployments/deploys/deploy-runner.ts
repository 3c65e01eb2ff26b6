import { createError, type DeployErrorCode } from '@berth/contract';
import type { Database } from '@berth/database';
import {
  createLimiter,
  type DeployId,
  describeError,
  type IdSource,
  runInBackground,
  type Slot,
  type Timer,
} from '@berth/kit';
import type { Artifact } from '@berth/runtime';
import type { Kysely } from 'kysely';
import { waitingMessage } from './accept-deploy.ts';
import { cleanUpDeploy, restoreRoute } from './clean-up-deploy.ts';
import { createDeployEventWriter } from './events/deploy-event-writer.ts';
import { createOutputTail } from './events/output-tail.ts';
import { failDeploy } from './fail-deploy.ts';
import type { DeployContext } from './records/deploy-context.ts';
import { FAILURE_LOG_LINES, toDeployFailure } from './records/deploy-failure.ts';
import { type DeployLeases, LeaseLostError } from './records/deploy-lease.ts';
import type { DeployRecord } from './records/deploy-record.ts';
import { type DeployRun, runDeploy } from './run-deploy.ts';

/** What a new deploy is recorded with. */
export interface DeployTicket {
  readonly id: DeployId;
  readonly leaseOwner: string;
  readonly leaseExpiresAtMs: number;
}

/**
 * Drives deploys in the background, independent of any request.
 *
 * R1 Deploys of one name run one after another, in the order they were accepted; of different names in parallel.
 * R2 A deploy is driven at most once at a time: by the process that holds its lease, and there by one run.
 * R3 A deploy that is driven ends in DONE or ERROR, or is left for the next process when this one closes or the database
 *    fails; one that no process drives is taken up within a third of a lease.
 */
export interface DeployRunner {
  /**
   * Records a deploy in a transaction of its own and drives it.
   * @param accept records it; undefined: there is nothing to do.
   * @throws `unavailable` once closing, and what `accept` throws.
   */
  submit(
    accept: (transaction: Kysely<Database>, ticket: DeployTicket) => Promise<DeployRecord | undefined>,
  ): Promise<DeployRecord | undefined>;
  /** Ends a deploy that is driven here, as cancelled; `message` is what its ERROR says. */
  cancel(id: DeployId, message: string): void;
  /** Resolves when none of the deploys of a name that are driven here now is driven any more. */
  settled(deployment: string): Promise<void>;
  /** Takes up what the last run of the platform left, then looks for abandoned deploys until closed. */
  start(): Promise<void>;
  /** Stops driving, leaving every deploy to the next process. Resolves after `waitMs` at the latest. Idempotent. */
  close(waitMs: number): Promise<void>;
}

export interface DeployRunnerOptions {
  readonly context: DeployContext;
  readonly leases: DeployLeases;
  readonly ids: IdSource;
  /** A third of a lease. */
  readonly heartbeatMs: number;
  /** True when no other process can drive deploys of this database: then what is left over is taken up at once. */
  readonly isAlone: boolean;
  /** Builds at once, of all names together. */
  readonly maxBuilds: number;
  /** Told once of each deploy that ended here; must be quick and must not throw. */
  readonly onEnded?: ((result: DeployResult) => void) | undefined;
}

/** How a deploy ended: `done`, or the code of its ERROR. */
export type DeployResult = 'done' | DeployErrorCode;

interface Running {
  readonly deployment: string;
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

/** Why a running deploy is stopped from outside: `cancelled` ends it, after `closing` the next process goes on with it. */
class DeployStopped extends Error {
  readonly kind: 'cancelled' | 'closing';

  constructor(kind: 'cancelled' | 'closing', message: string) {
    super(message);
    this.name = 'DeployStopped';
    this.kind = kind;
  }
}

/** A deploy that was interrupted this often is ended: it may be what brings the platform down. */
const MAX_ATTEMPTS = 4;

export function createDeployRunner(options: DeployRunnerOptions): DeployRunner {
  const { context, leases, ids, heartbeatMs, isAlone, maxBuilds, onEnded } = options;
  const { clock, logger } = context;
  const running = new Map<DeployId, Running>();
  const accepting = new Set<DeployId>();
  /** R1: a slot for each name. */
  const names = createLimiter({ concurrency: Number.POSITIVE_INFINITY, concurrencyPerKey: 1 });
  const builds = createLimiter({ concurrency: maxBuilds });
  let heartbeat: Timer | undefined;
  let isClosing = false;
  let closed: Promise<void> | undefined;

  const launch = (deploy: DeployRecord) => {
    const controller = new AbortController();
    const done = drive(deploy, controller.signal).finally(() => running.delete(deploy.id));
    running.set(deploy.id, { deployment: deploy.deployment, controller, done });
    if (deploy.isCancelRequested) controller.abort(new DeployStopped('cancelled', 'The deploy was cancelled.'));
  };

  async function drive(deploy: DeployRecord, signal: AbortSignal): Promise<void> {
    const events = createDeployEventWriter(context, deploy);
    const tail = createOutputTail(FAILURE_LOG_LINES);
    const built: Artifact[] = [];
    // The first event of a new deploy says how many are ahead of it.
    let isReported = deploy.step === 'queued' && deploy.attempts === 1;
    const onAhead = (ahead: number) => {
      if (!isReported) void events.write(deploy.step, { message: waitingMessage(ahead, deploy.deployment) });
      isReported = false;
    };
    let slot: Slot | undefined;
    try {
      slot = await names.acquire({ key: deploy.deployment, signal, onAhead });
      if (deploy.attempts > MAX_ATTEMPTS) {
        throw createError('internal', `The platform stopped ${MAX_ATTEMPTS} times during this deploy. Deploy again.`);
      }
      await runDeploy(context, deploy, { signal, events, tail, built, builds });
      logger.info({ deployId: deploy.id, deployment: deploy.deployment }, 'deploy done');
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
    if (error instanceof LeaseLostError) {
      return logger.warn({ deployId: deploy.id }, 'another process drives this deploy');
    }
    try {
      await events.flush();
      const cause = stopped ? createError('cancelled', stopped.message) : error;
      const failure = toDeployFailure(cause, deploy.id, tail.lines);
      if (failure.code === 'internal') {
        logger.error({ deployId: deploy.id, error: describeError(error) }, 'a deploy failed');
      }
      const artifact = await failDeploy(context, deploy, failure);
      logger.info({ deployId: deploy.id, deployment: deploy.deployment, code: failure.code }, 'deploy ended in error');
      onEnded?.(failure.code);
      await cleanUpDeploy(context, deploy, artifact ? [...built, artifact] : built);
      await restoreRoute(context, deploy);
    } catch (cause) {
      // Its record says that it is unfinished, so it is taken up again.
      logger.error({ deployId: deploy.id, error: describeError(cause) }, 'the end of a deploy could not be recorded');
    }
  }

  const takeUp = async (isForced: boolean) => {
    const taken = await leases.take({ isForced, except: [...running.keys(), ...accepting] });
    for (const deploy of taken) {
      logger.info({ deployId: deploy.id, step: deploy.step }, 'taking up an unfinished deploy');
      launch(deploy);
    }
  };
  const beat = () => {
    heartbeat = clock.setTimer(heartbeatMs, () => {
      const work = leases.renew().then(() => (isClosing ? undefined : takeUp(false)));
      runInBackground(
        'deploy leases',
        work.finally(() => !isClosing && beat()),
        logger,
      );
    });
  };

  async function stopAll(waitMs: number): Promise<void> {
    for (const { controller } of running.values()) {
      controller.abort(new DeployStopped('closing', 'The platform is stopping.'));
    }
    const alarm = new AbortController();
    const all = Promise.all([...running.values()].map((one) => one.done));
    await Promise.race([all, clock.sleep(waitMs, alarm.signal).catch(() => {})]);
    alarm.abort();
    await leases.release();
  }

  return {
    async submit(accept) {
      if (isClosing) throw createError('unavailable', 'The platform is stopping. Try again when it runs.');
      const id = ids.next<'deploy'>('dpl');
      accepting.add(id);
      try {
        const ticket = { id, leaseOwner: leases.owner, leaseExpiresAtMs: leases.expiryMs() };
        const deploy = await context.db.transaction().execute((transaction) => accept(transaction, ticket));
        if (deploy && !isClosing) launch(deploy);
        return deploy;
      } finally {
        accepting.delete(id);
      }
    },
    cancel: (id, message) => running.get(id)?.controller.abort(new DeployStopped('cancelled', message)),
    async settled(deployment) {
      const own = [...running.values()].filter((one) => one.deployment === deployment);
      await Promise.all(own.map((one) => one.done));
    },
    async start() {
      await takeUp(isAlone);
      beat();
    },
    close(waitMs) {
      isClosing = true;
      heartbeat?.cancel();
      closed ??= stopAll(waitMs);
      return closed;
    },
  };
}
