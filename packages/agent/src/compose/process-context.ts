import { type Clock, createIdSource, createSystemClock, type IdSource, type Logger } from '@berth/kit';
import { processEnvironment } from './environment.ts';
import { createJsonLogger } from './json-logger.ts';

const END_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** What an agent takes from the process it runs in; tests pass their own. */
export interface ProcessContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Relative paths start here. */
  readonly workingFolder: string;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
  /** Returns the addresses of a host name; asks the machine's resolver by default. */
  resolveHost?(host: string): Promise<readonly string[]>;
  /** Calls `callback` on SIGTERM and SIGINT; returns a function that unsubscribes. */
  onEndSignal(callback: () => void): () => void;
}

/** Returns the context of this process, whose log is JSON lines on standard output. */
export function currentProcess(): ProcessContext {
  return {
    environment: processEnvironment(),
    workingFolder: process.cwd(),
    clock: createSystemClock(),
    ids: createIdSource(),
    logger: createJsonLogger((line) => process.stdout.write(line)),
    onEndSignal(callback) {
      for (const signal of END_SIGNALS) process.once(signal, callback);
      return () => {
        for (const signal of END_SIGNALS) process.off(signal, callback);
      };
    },
  };
}
