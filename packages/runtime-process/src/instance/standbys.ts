import { existsSync } from 'node:fs';
import { type Clock, type Logger, runInBackground, type Timer } from '@berth/kit';
import type { Identity } from '../identity/identity.ts';

/** What a standby is for. */
export interface StandbyPlan {
  /** Path of the artifact. */
  readonly artifactPath: string;
  readonly identity: Identity | undefined;
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
 * One standby for each artifact that was started lately, so that a cold start finds its files copied, its sandbox built
 * and its port chosen. Uses it up; another is made when the start is over.
 */
export interface Standbys<Kind extends Standby> {
  /** The one for this artifact, if it is for `key` and fresh; any other one of the artifact is discarded. */
  take(artifactPath: string, key: string): Promise<Kind | undefined>;
  /** Makes one in a while. `make` answers undefined when there can be none. */
  plan(plan: StandbyPlan, make: () => Promise<Kind | undefined>): void;
  /** Discards those that `isUnwanted`, those that are only planned or being made, too. */
  drop(isUnwanted: (plan: StandbyPlan) => boolean): Promise<void>;
  close(): Promise<void>;
}

export interface StandbysOptions {
  /** From a start to the preparation of the next one: until then the machine has better things to do. */
  readonly delayMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Those kept, the longest unused go first: a machine may have thousands of services that nobody calls. */
const MAX = 64;

export function createStandbys<Kind extends Standby>({ delayMs, clock, logger }: StandbysOptions): Standbys<Kind> {
  /** By path of the artifact; in the order they were made. */
  const ready = new Map<string, Kind>();
  const planned = new Map<string, { readonly plan: StandbyPlan; readonly timer: Timer }>();
  const working = new Map<StandbyPlan, Promise<void>>();
  let isClosed = false;

  const dropReady = async (isUnwanted: (plan: StandbyPlan) => boolean): Promise<void> => {
    for (const standby of [...ready.values()].filter(isUnwanted)) {
      ready.delete(standby.artifactPath);
      await standby.discard();
    }
  };
  const make = async (plan: StandbyPlan, work: () => Promise<Kind | undefined>): Promise<void> => {
    const { artifactPath, key } = plan;
    await dropReady((one) => (one.artifactPath === artifactPath && one.key !== key) || !existsSync(one.artifactPath));
    if (isClosed || ready.has(artifactPath) || !existsSync(artifactPath)) return;
    const standby = await work();
    if (!standby) return;
    if (isClosed || ready.has(artifactPath)) return standby.discard();
    ready.set(artifactPath, standby);
    logger.debug({ artifactPath }, 'ready for the next start');
    const [oldest] = ready.keys();
    if (ready.size > MAX) await dropReady((one) => one.artifactPath === oldest);
  };

  const standbys: Standbys<Kind> = {
    async take(artifactPath, key) {
      const standby = ready.get(artifactPath);
      if (!standby) return undefined;
      ready.delete(artifactPath);
      if (standby.key === key && (await standby.isFresh())) return standby;
      runInBackground('discard a standby', standby.discard(), logger);
      return undefined;
    },
    plan(plan, work) {
      const { artifactPath } = plan;
      planned.get(artifactPath)?.timer.cancel();
      const timer = clock.setTimer(delayMs, () => {
        planned.delete(artifactPath);
        const task = make(plan, work).finally(() => working.delete(plan));
        working.set(plan, task);
        runInBackground('prepare the next start', task, logger);
      });
      planned.set(artifactPath, { plan, timer });
    },
    async drop(isUnwanted) {
      for (const { plan, timer } of [...planned.values()].filter((one) => isUnwanted(one.plan))) {
        timer.cancel();
        planned.delete(plan.artifactPath);
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
