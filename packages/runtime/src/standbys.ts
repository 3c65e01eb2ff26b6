import { type Clock, type Logger, runInBackground, type Timer } from '@berth/kit';

/** Identifies the start that a standby is for. */
export interface StandbyPlan {
  /** Path or reference of the artifact. */
  readonly artifact: string;
  /** Covers everything that the standby depends on: it can serve only a start with the same key. */
  readonly key: string;
}

/** A start of an artifact that was prepared in advance. */
export interface Standby extends StandbyPlan {
  /** Resolves with true while the standby can be used: nothing that it depends on has ended or changed. */
  isFresh(): Promise<boolean>;
  /** Frees the standby's resources. */
  discard(): Promise<void>;
}

/** Options of {@link createStandbys}. */
export interface StandbysOptions {
  /** Delay between a start and the preparation of the next one, so that preparing doesn't compete with the program that is starting. */
  readonly delayMs: number;
  /** Returns whether an artifact still exists; standbys of missing artifacts are discarded. Default: every artifact exists. */
  isThere?(artifact: string): boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Maximum number of standbys; the oldest is discarded first. A machine may have thousands of idle services. */
const MAX = 64;

/**
 * Creates what keeps one standby for each recently started artifact, so that a cold start finds its files copied and its sandbox or container
 * created. A start consumes the standby; another one is made after the start.
 */
export function createStandbys<Plan extends StandbyPlan, Kind extends Plan & Standby>({
  delayMs,
  isThere = () => true,
  clock,
  logger,
}: StandbysOptions) {
  /** Artifact → standby, oldest first. */
  const ready = new Map<string, Kind>();
  const planned = new Map<string, { readonly plan: Plan; readonly timer: Timer }>();
  const working = new Map<Plan, Promise<void>>();
  let isClosed = false;

  const dropReady = async (isUnwanted: (plan: Plan) => boolean): Promise<void> => {
    for (const standby of [...ready.values()].filter(isUnwanted)) {
      ready.delete(standby.artifact);
      await standby.discard();
    }
  };
  const make = async (plan: Plan, work: () => Promise<Kind | undefined>): Promise<void> => {
    const { artifact, key } = plan;
    await dropReady((one) => (one.artifact === artifact && one.key !== key) || !isThere(one.artifact));
    if (isClosed || ready.has(artifact) || !isThere(artifact)) return;
    const standby = await work();
    if (!standby) return;
    if (isClosed || ready.has(artifact)) return standby.discard();
    ready.set(artifact, standby);
    logger.debug({ artifact }, 'ready for the next start');
    const [oldest] = ready.keys();
    if (ready.size > MAX) await dropReady((one) => one.artifact === oldest);
  };

  const drop = async (isUnwanted: (plan: Plan) => boolean): Promise<void> => {
    for (const { plan, timer } of [...planned.values()].filter((one) => isUnwanted(one.plan))) {
      timer.cancel();
      planned.delete(plan.artifact);
    }
    await Promise.allSettled([...working].filter(([plan]) => isUnwanted(plan)).map(([, task]) => task));
    await dropReady(isUnwanted);
  };

  return {
    /** Removes and returns the artifact's standby if it has this `key` and is fresh. Any other standby of the artifact is discarded. */
    async take(artifact: string, key: string): Promise<Kind | undefined> {
      const standby = ready.get(artifact);
      if (!standby) return undefined;
      ready.delete(artifact);
      if (standby.key === key && (await standby.isFresh())) return standby;
      runInBackground('discard a standby', standby.discard(), logger);
      return undefined;
    },
    /** Calls `make` after {@link StandbysOptions.delayMs} and keeps its result. `make` returns undefined when no standby can be made. */
    plan(plan: Plan, work: () => Promise<Kind | undefined>): void {
      const { artifact } = plan;
      planned.get(artifact)?.timer.cancel();
      const timer = clock.setTimer(delayMs, () => {
        planned.delete(artifact);
        const task = make(plan, work).finally(() => working.delete(plan));
        working.set(plan, task);
        runInBackground('prepare the next start', task, logger);
      });
      planned.set(artifact, { plan, timer });
    },
    /** Discards the standbys for which `isUnwanted` returns true, including planned ones and ones being made. */
    drop,
    /** Discards all standbys; none is made afterwards. */
    async close(): Promise<void> {
      isClosed = true;
      await drop(() => true);
    },
  };
}
