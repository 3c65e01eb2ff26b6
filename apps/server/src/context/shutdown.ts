import { describeError, type Logger } from '@berth/kit';

/** One step of going down; a step that fails does not stop the next. */
export interface ShutdownStep {
  readonly name: string;
  close(): Promise<void> | void;
}

/** Collects what must be closed, as it is opened, and closes it in the opposite order. */
export interface Shutdown {
  /** Adds a step that runs before all that were added so far. */
  push(name: string, close: ShutdownStep['close']): void;
  /** Runs every step once; later calls wait for the first. */
  run(): Promise<void>;
}

export function createShutdown(logger: Logger): Shutdown {
  const steps: ShutdownStep[] = [];
  let running: Promise<void> | undefined;
  const runAll = async () => {
    for (const step of steps.toReversed()) {
      try {
        await step.close();
      } catch (error) {
        logger.error({ step: step.name, error: describeError(error) }, 'shutdown step failed');
      }
    }
  };
  return {
    push: (name, close) => steps.push({ name, close }),
    run: () => {
      running ??= runAll();
      return running;
    },
  };
}
