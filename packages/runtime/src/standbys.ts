import { type Clock, type Logger, runInBackground, type Timer } from '@berth/kit';

/** What a standby is for. */
export interface StandbyPlan {
  /** What the artifact is known by: its path, its reference. */
  readonly artifact: string;
  /** All that goes into it: it serves a start that asks for just this. */
  readonly key: string;
}

/** Something made ahead of need for the next start of an artifact. */
export interface Standby extends StandbyPlan {
  /** It can still be used: nothing it holds has ended or changed under it. */
  isFresh(): Promise<boolean>;
  discard(): Promise<void>;
}

/**
 * One standby for each artifact that was started lately, so that a cold start finds its files copied, its sandbox or
 * its container made. Uses it up; another is made when the start is over.
 */
export interface Standbys<Plan extends StandbyPlan, Kind extends Plan & Standby> {
  /** The one for this artifact, if it is for `key` and fresh; any other one of the artifact is discarded. */
  take(artifact: string, key: string): Promise<Kind | undefined>;
  /** Makes one in a while. `make` answers undefined when there can be none. */
  plan(plan: Plan, make: () => Promise<Kind | undefined>): void;
  /** Discards those that `isUnwanted`, those that are only planned or being made, too. */
  drop(isUnwanted: (plan: Plan) => boolean): Promise<void>;
  close(): Promise<void>;
}

export interface StandbysOptions {
  /** From a start to the preparation of the next one: until then the machine has better things to do. */
  readonly delayMs: number;
  /** Whether an artifact is still kept; what was made for one that is not is discarded. All are, without it. */
  isThere?(artifact: string): boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Those kept, the longest unused go first: a machine may have thousands of services that nobody calls. */
const MAX = 64;

export function createStandbys<Plan extends StandbyPlan, Kind extends Plan & Standby>({
  delayMs,
  isThere = () => true,
  clock,
  logger,
}: StandbysOptions): Standbys<Plan, Kind> {
  /** By path of the artifact; in the order they were made. */
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

  const standbys: Standbys<Plan, Kind> = {
    async take(artifact, key) {
      const standby = ready.get(artifact);
      if (!standby) return undefined;
      ready.delete(artifact);
      if (standby.key === key && (await standby.isFresh())) return standby;
      runInBackground('discard a standby', standby.discard(), logger);
      return undefined;
    },
    plan(plan, work) {
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
    async drop(isUnwanted) {
      for (const { plan, timer } of [...planned.values()].filter((one) => isUnwanted(one.plan))) {
        timer.cancel();
        planned.delete(plan.artifact);
      }
      await Promise.allSettled([...working].filter(([plan]) => isUnwanted(plan)).map(([, task]) => task));
      await dropReady(isUnwanted);
    },
    async close() {
      isClosed = true;
      await standbys.drop(() => true);
    },
  };
  return standbys;
}
