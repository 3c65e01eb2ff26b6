import type { LogFields, Logger } from '@berth/kit';

/** A logged line. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: LogFields;
}

/** Creates a logger that collects its lines. */
export function createCollectingLogger(): Logger & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const write = (level: LogLine['level']) => (fields: LogFields, message: string) => {
    lines.push({ level, message, fields });
  };
  const logger = {
    lines,
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: () => logger,
  };
  return logger;
}
