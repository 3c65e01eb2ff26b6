import type { LogFields, Logger } from '@berth/kit';
import pino from 'pino';

/** Fields that are never logged, at the top and one level below. */
const SECRETS = ['authorization', 'apiKey', 'secret', 'password', 'token'];
const REDACTED = SECRETS.flatMap((name) => [name, `*.${name}`]);

/** Background work fails each time while the database can't be reached or the disk is full. The same line is logged this often. */
const REPEAT_MS = 60_000;
/** Lines remembered. */
const MAX_LINES = 1_000;

/** Creates the platform's logger: JSON lines on standard error, apart from the output for people. */
export function createPlatformLogger(level: string): Logger {
  const logger = pino({ level, redact: REDACTED, base: null }, pino.destination({ dest: 2, sync: true }));
  return wrap(logger, createRepeats());
}

function wrap(logger: pino.Logger, isRepeat: (fields: LogFields, message: string) => boolean): Logger {
  return {
    debug: (fields: LogFields, message: string) => logger.debug(fields, message),
    info: (fields: LogFields, message: string) => logger.info(fields, message),
    warn: (fields: LogFields, message: string) => isRepeat(fields, message) || logger.warn(fields, message),
    error: (fields: LogFields, message: string) => isRepeat(fields, message) || logger.error(fields, message),
    child: (fields: LogFields) => wrap(logger.child(fields), isRepeat),
  };
}

/** Returns a function that says whether the same line about an expected error was logged within the last minute. */
function createRepeats(): (fields: LogFields, message: string) => boolean {
  const lastMs = new Map<string, number>();
  return ({ error, ...fields }, message) => {
    if (typeof error !== 'string' || !error.startsWith('BerthError: ')) return false;
    const line = JSON.stringify([message, fields, error.split('\n', 1)]);
    const nowMs = performance.now();
    if (nowMs - (lastMs.get(line) ?? Number.NEGATIVE_INFINITY) < REPEAT_MS) return true;
    if (lastMs.size >= MAX_LINES) lastMs.clear();
    lastMs.set(line, nowMs);
    return false;
  };
}
