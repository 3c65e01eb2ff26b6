import { type Clock, createIdSource, createSystemClock, type IdSource, type LogFields, type Logger } from '@berth/kit';

const END_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Values that an agent takes from the process it runs in; tests pass their own. */
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
  const environment = processEnvironment();
  return {
    environment,
    workingFolder: process.cwd(),
    clock: createSystemClock(),
    ids: createIdSource(),
    logger: createJsonLogger({
      write: (line) => process.stdout.write(line),
      isVerbose: environment['NODE_ENV'] === 'development' || environment['BERTH_AGENT_LOG_LEVEL'] === 'debug',
    }),
    onEndSignal(callback) {
      for (const signal of END_SIGNALS) process.once(signal, callback);
      return () => {
        for (const signal of END_SIGNALS) process.off(signal, callback);
      };
    },
  };
}

/** Returns the environment of the process. The only place where the agent's packages read it. */
function processEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

interface JsonLoggerOptions {
  write(line: string): void;
  nowMs?(): number;
  /** Writes DEBUG lines too. They contain what people and models said, e.g. the arguments of tool calls. */
  readonly isVerbose?: boolean;
}

/**
 * Creates a logger that writes one JSON line per entry, with `severity`, `message` and `stack` as the platform's log expects: it
 * shows the stack below the message. An empty message is left out. An entry's `error` is its stack. Source: docs/contract/agent-api.md §10, "Log lines".
 */
export function createJsonLogger(options: JsonLoggerOptions, common: LogFields = {}): Logger {
  const { write, nowMs = () => Date.now(), isVerbose = false } = options;
  const log = (severity: string) => (fields: LogFields, message: string) => {
    const time = new Date(nowMs()).toISOString();
    const { error: stack, ...others } = { ...common, ...fields };
    const level = severity.toLowerCase();
    write(
      `${JSON.stringify({ severity, level, time, ...(message !== '' && { message }), ...others, ...(stack !== undefined && { stack }) })}\n`,
    );
  };
  return {
    debug: isVerbose ? log('DEBUG') : () => {},
    info: log('INFO'),
    warn: log('WARNING'),
    error: log('ERROR'),
    child: (fields) => createJsonLogger(options, { ...common, ...fields }),
  };
}
