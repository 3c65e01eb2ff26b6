import type { LogFields, Logger } from '@berth/kit';
import pino from 'pino';

/** Fields that are never logged, at the top and one level below. */
const SECRETS = ['authorization', 'apiKey', 'secret', 'password', 'token'];
const REDACTED = SECRETS.flatMap((name) => [name, `*.${name}`]);

/** Creates the platform's logger: JSON lines on standard error, apart from the output for people. */
export function createPlatformLogger(level: string): Logger {
  return wrap(pino({ level, redact: REDACTED, base: null }, pino.destination({ dest: 2, sync: true })));
}

function wrap(logger: pino.Logger): Logger {
  return {
    debug: (fields: LogFields, message: string) => logger.debug(fields, message),
    info: (fields: LogFields, message: string) => logger.info(fields, message),
    warn: (fields: LogFields, message: string) => logger.warn(fields, message),
    error: (fields: LogFields, message: string) => logger.error(fields, message),
    child: (fields: LogFields) => wrap(logger.child(fields)),
  };
}
