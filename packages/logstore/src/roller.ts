import { describeError, type Logger } from '@berth/kit';
import type { DeploymentLog } from './deployment-log.ts';
import type { LogEngine } from './engine/create-log-engine.ts';

/** Turns full segments into columns, one log after another, beside everything else. */
export interface Roller {
  /** There may be something to roll in a log. */
  add(log: DeploymentLog, name: string): void;
  /** Waits for what runs, and begins nothing more. */
  close(): Promise<void>;
}

/** A log whose roll failed is not tried again before this many segments were filled. */
const FAILURE_PAUSE = 8;

export function createRoller({ engine, logger }: { readonly engine: LogEngine; readonly logger: Logger }): Roller {
  const waiting = new Map<DeploymentLog, string>();
  const pauses = new WeakMap<DeploymentLog, number>();
  let running: Promise<void> | undefined;
  let isClosed = false;

  async function run(): Promise<void> {
    for (const [log, name] of waiting) {
      waiting.delete(log);
      try {
        while (!isClosed && (await log.roll(engine)));
      } catch (error) {
        if (isClosed) return;
        pauses.set(log, FAILURE_PAUSE);
        logger.warn({ log: name, error: describeError(error) }, 'log segments could not be turned into Parquet');
      }
    }
  }

  return {
    add(log, name) {
      const pause = pauses.get(log) ?? 0;
      pauses.set(log, Math.max(0, pause - 1));
      if (isClosed || pause > 0) return;
      waiting.set(log, name);
      running ??= run().finally(() => {
        running = undefined;
      });
    },
    async close() {
      isClosed = true;
      engine.close();
      await running;
    },
  };
}
