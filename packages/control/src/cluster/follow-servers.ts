import { type Clock, describeError, type Logger, runInBackground, type Timer } from '@berth/kit';
import type { Channel, Cluster } from './cluster.ts';

/** Options of {@link followServers}. */
export interface FollowServersOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly channel: Channel;
  /** The longest time between two looks. */
  readonly pollMs: number;
  /** Reads what other servers changed. One look runs at a time, and a notice during one leads to another. */
  look(): Promise<void>;
}

/** Looks for changes by other servers at each notice and in between, until the returned function is called and resolves. */
export function followServers({
  cluster,
  clock,
  logger,
  channel,
  pollMs,
  look,
}: FollowServersOptions): () => Promise<void> {
  if (cluster.isAlone) return async () => {};
  let timer: Timer | undefined;
  let running: Promise<void> | undefined;
  let isDue = false;
  let isClosed = false;

  const run = async () => {
    do {
      isDue = false;
      await look().catch((error: unknown) =>
        logger.warn({ channel, error: describeError(error) }, 'changes by other servers could not be read; will retry'),
      );
    } while (isDue && !isClosed);
    running = undefined;
    if (!isClosed) timer = clock.setTimer(pollMs, wake);
  };
  function wake(): void {
    isDue = true;
    if (running || isClosed) return;
    timer?.cancel();
    running = run();
    runInBackground(`follow ${channel}`, running, logger);
  }

  const unsubscribe = cluster.subscribe(channel, wake);
  wake();
  return async () => {
    isClosed = true;
    unsubscribe();
    timer?.cancel();
    await running;
  };
}
