import { constants } from 'node:os';
import type { Clock } from '@berth/kit';
import type { Instance, InstanceExit } from '../runtime.ts';

/** Default time between SIGTERM and SIGKILL. */
export const DEFAULT_GRACE_MS = 10_000;

/** Options of {@link createStop}. */
export interface StopOptions {
  /** Resolves when the instance has ended. */
  readonly ended: Promise<Omit<InstanceExit, 'isRequested'>>;
  /** Sends SIGTERM. Called once, in the first call of `stop`. */
  terminate(): void | Promise<void>;
  /** Sends SIGKILL. */
  kill(): void;
  /** Resolves when nothing of the instance is left. */
  readonly removed: () => Promise<void>;
  readonly clock: Clock;
}

/** Returns `exited` and `stop` of an instance, and `onKilled`, which says that the driver itself kills it. */
export function createStop({ ended, terminate, kill, removed, clock }: StopOptions) {
  let told: Promise<void> | undefined;
  let isKilled = false;
  // SIGKILL before the end of the grace period came from someone else, even while the instance was being stopped.
  const exited = ended.then(
    (end): InstanceExit => ({ ...end, isRequested: told !== undefined && (isKilled || end.signal !== 'SIGKILL') }),
  );
  const stop: Instance['stop'] = async ({ graceMs = DEFAULT_GRACE_MS } = {}) => {
    told ??= Promise.resolve(terminate());
    await told;
    const timer = clock.setTimer(graceMs, () => {
      isKilled = true;
      kill();
    });
    const exit = await exited;
    timer.cancel();
    await removed();
    return exit;
  };
  return { exited, stop };
}

/** Returns the signal that an exit code of a shell or an init process stands for: 128 + n when signal n ended the program. */
export function signalOfExitCode(exitCode: number): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0];
}
