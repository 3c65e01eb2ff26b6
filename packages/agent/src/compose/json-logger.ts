import type { LogFields, Logger } from '@berth/kit';

/** Creates a logger that writes one JSON line per entry, with `severity` and `message` as the platform's log expects. */
export function createJsonLogger(
  write: (line: string) => void,
  nowMs: () => number = () => Date.now(),
  common: LogFields = {},
): Logger {
  const log = (severity: string) => (fields: LogFields, message: string) => {
    const time = new Date(nowMs()).toISOString();
    write(`${JSON.stringify({ severity, time, message, ...common, ...fields })}\n`);
  };
  return {
    debug: log('DEBUG'),
    info: log('INFO'),
    warn: log('WARNING'),
    error: log('ERROR'),
    child: (fields) => createJsonLogger(write, nowMs, { ...common, ...fields }),
  };
}
