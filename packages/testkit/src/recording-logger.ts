import type { LogFields, Logger } from '@berth/kit';

/** A logger that keeps each line in `lines`, as JSON text. */
export function createRecordingLogger(lines: string[], common: LogFields = {}): Logger {
  const write = (level: string) => (fields: LogFields, message: string) => {
    lines.push(JSON.stringify({ level, message, ...common, ...fields }));
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => createRecordingLogger(lines, { ...common, ...fields }),
  };
}
