import { describeError, type Logger } from '@berth/kit';

/** Closing steps, collected while parts are opened and run in reverse order. */
export type Shutdown = ReturnType<typeof createShutdown>;

/** Creates a {@link Shutdown} without steps. */
export function createShutdown(logger: Logger) {
  const steps: { readonly name: string; readonly close: () => Promise<void> | void }[] = [];
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
    /** Adds a step that runs before those added earlier. When one fails, the next one still runs. */
    push(name: string, close: () => Promise<void> | void): void {
      steps.push({ name, close });
    },
    /** Runs every step once; later calls wait for the first call. */
    run(): Promise<void> {
      running ??= runAll();
      return running;
    },
  };
}

/** Opens parts that add their closing steps. On failure, everything opened so far is closed. */
export async function openWithShutdown<Opened>(
  logger: Logger,
  open: (shutdown: Shutdown) => Promise<Opened>,
): Promise<Opened> {
  const shutdown = createShutdown(logger);
  try {
    return await open(shutdown);
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}
