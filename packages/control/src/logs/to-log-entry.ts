import type { LogEntry } from '@berth/contract';
import type { StoredEntry } from '@berth/logstore';

/** An entry as callers see it. Source: spec section 2.4. */
export function toLogEntry({ timestamp, severity, message }: StoredEntry): LogEntry {
  return { timestamp, severity, message };
}
