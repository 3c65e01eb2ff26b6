import type { Severity } from '@berth/contract';
import type { RequestRecord } from '@berth/gateway';
import type { LogInput } from '@berth/logstore';

/** A served request as a log entry of its deployment. Source: spec control-plane 6. */
export function requestEntry(record: RequestRecord): LogInput {
  const { method, url, status, latencyMs, requestSize, responseSize, remoteIp, userAgent, protocol } = record;
  const { coldStart, revision, instance, trace, startedAtMs } = record;
  return {
    logName: 'requests',
    severity: severityOf(status),
    message: `${method} ${url} ${status} ${Math.round(latencyMs)}ms`,
    httpRequest: {
      method,
      url,
      status,
      latencyMs,
      requestSize,
      responseSize,
      remoteIp,
      userAgent,
      protocol,
      ...(coldStart ? { coldStart } : {}),
    },
    revision,
    ...(instance === undefined ? {} : { instance }),
    trace,
    timeMs: startedAtMs + latencyMs,
  };
}

function severityOf(status: number): Severity {
  if (status >= 500) return 'ERROR';
  return status >= 400 ? 'WARNING' : 'INFO';
}
