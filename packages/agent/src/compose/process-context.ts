import { type Clock, createIdSource, createSystemClock, type IdSource, type Logger } from '@berth/kit';
import { processEnvironment } from './environment.ts';
import { createJsonLogger } from './json-logger.ts';

const END_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** What an agent takes from the process that it runs in; tests hand over their own. */
export interface ProcessContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Relative paths start here. */
  readonly workingFolder: string;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
  /** The addresses of a host name that is asked; the machine's own resolver by default. */
  resolveHost?(host: string): Promise<readonly string[]>;
  /** Calls `callback` when the process is told to end; returns how to take that back. */
  onEndSignal(callback: () => void): () => void;
}

/** Those of this process: its log is JSON lines on standard output. */
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
