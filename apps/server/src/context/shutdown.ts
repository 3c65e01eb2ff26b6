import { describeError, type Logger } from '@berth/kit';

/** A step of the shutdown. When one fails, the next one still runs. */
export interface ShutdownStep {
  readonly name: string;
  close(): Promise<void> | void;
}

/** Collects closing steps while parts are opened, and runs them in reverse order. */
export interface Shutdown {
  /** Adds a step that runs before those added earlier. */
  push(name: string, close: ShutdownStep['close']): void;
  /** Runs every step once; later calls wait for the first call. */
  run(): Promise<void>;
}

/** Creates a {@link Shutdown}. */
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
