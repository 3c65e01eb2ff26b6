import type { Severity } from '@berth/contract';
import type { RequestRecord } from '@berth/gateway';
import type { LogInput } from '@berth/logstore';

/** The log entry of a served request; its message is one readable line. Source: docs/contract/control-plane.md §6. */
export function toRequestEntry(record: RequestRecord): LogInput {
  const { method, url, status, latencyMs, requestSize, responseSize, remoteIp, userAgent, protocol } = record;
  const { revision, instance, trace, coldStart, resume } = record;
  const wait = coldStart
    ? ` (cold start ${Math.round(coldStart.portOpenMs)} ms)`
    : resume
      ? ` (resumed in ${Math.round(resume.resumedMs)} ms)`
      : '';
  return {
    logName: 'requests',
    severity: severityOf(status),
    message: `${method} ${url} ${status} ${Math.round(latencyMs)} ms${wait}`,
    httpRequest: {
      method,
      url,
      status,
      // Microseconds: further digits are noise, and most of the number's text.
      latencyMs: Math.round(latencyMs * 1_000) / 1_000,
      requestSize,
      responseSize,
      remoteIp,
      userAgent,
      protocol,
      ...(coldStart === undefined ? {} : { coldStart }),
      ...(resume === undefined ? {} : { resume }),
    },
    revision,
    trace,
    ...(instance === undefined ? {} : { instance }),
  };
}

function severityOf(status: number): Severity {
  if (status >= 500) return 'ERROR';
  return status >= 400 ? 'WARNING' : 'INFO';
}
