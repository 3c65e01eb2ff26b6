import type { LogFields, Logger } from '@berth/kit';

/** Creates a logger that adds each line to `lines`, as JSON text. */
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
