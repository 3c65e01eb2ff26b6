import type { Severity } from '@berth/contract';
import type { LogScope, StoredEntry } from '@berth/logstore';
import type { AnyValue, Attributes, HrTime } from '@opentelemetry/api';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';

/** An entry and the log that it is of. */
export interface ExportedEntry {
  readonly scope: LogScope;
  readonly entry: StoredEntry;
}

/** https://opentelemetry.io/docs/specs/otel/logs/data-model-appendix/#appendix-b-severitynumber-example-mappings, "Syslog". */
const SEVERITY_NUMBERS: Readonly<Record<Severity, number>> = {
  DEFAULT: 0,
  DEBUG: 5,
  INFO: 9,
  NOTICE: 10,
  WARNING: 13,
  ERROR: 17,
  CRITICAL: 18,
  ALERT: 19,
  EMERGENCY: 21,
};

const INSTRUMENTATION = { name: 'berth' };

/**
 * Returns entries as log records of OpenTelemetry. Those of one instance share their resource. Names are those of the
 * semantic conventions; others begin with `berth.`.
 */
export function toLogRecords(entries: readonly ExportedEntry[]): readonly ReadableLogRecord[] {
  const resources = new Map<string, Resource>();
  return entries.map(({ scope, entry }) => {
    const key = JSON.stringify([scope.account, scope.deployment, entry.revision, entry.instance]);
    let resource = resources.get(key);
    if (!resource) {
      resource = resourceFromAttributes({
        'service.name': scope.deployment,
        'service.namespace': scope.account,
        ...(entry.revision === undefined ? {} : { 'service.version': entry.revision }),
        ...(entry.instance === undefined ? {} : { 'service.instance.id': entry.instance }),
      });
      resources.set(key, resource);
    }
    const time = toHrTime(entry.timestamp);
    return {
      hrTime: time,
      hrTimeObserved: time,
      severityText: entry.severity,
      severityNumber: SEVERITY_NUMBERS[entry.severity],
      body: entry.jsonPayload === undefined ? entry.message : (entry.jsonPayload as AnyValue),
      ...(entry.trace === undefined || !/^[\da-f]{32}$/.test(entry.trace)
        ? {}
        : { spanContext: { traceId: entry.trace, spanId: '', traceFlags: 0 } }),
      resource,
      instrumentationScope: INSTRUMENTATION,
      attributes: attributesOf(entry),
      droppedAttributesCount: 0,
    };
  });
}

/** @param timestamp RFC 3339 with nanoseconds and `Z`. */
function toHrTime(timestamp: string): HrTime {
  const [, second = '', fraction = ''] = /^(.{19})\.?(\d*)Z$/.exec(timestamp) ?? [];
  return [Date.parse(`${second}Z`) / 1_000, Number(fraction.padEnd(9, '0'))];
}

function attributesOf({ logName, insertId, message, jsonPayload, httpRequest, labels }: StoredEntry): Attributes {
  const [path, query] = httpRequest?.url.split(/\?(.*)/s, 2) ?? [];
  return {
    'berth.log': logName,
    'log.record.uid': insertId,
    ...(logName === 'stdout' || logName === 'stderr' ? { 'log.iostream': logName } : {}),
    ...(jsonPayload === undefined ? {} : { 'berth.message': message }),
    ...Object.fromEntries(Object.entries(labels ?? {}).map(([name, value]) => [`berth.label.${name}`, value])),
    ...(httpRequest && {
      'http.request.method': httpRequest.method,
      'http.request.size': httpRequest.requestSize,
      'http.response.size': httpRequest.responseSize,
      'http.response.status_code': httpRequest.status,
      'url.path': path,
      ...(query === undefined ? {} : { 'url.query': query }),
      'client.address': httpRequest.remoteIp,
      'user_agent.original': httpRequest.userAgent,
      'network.protocol.version': httpRequest.protocol.replace(/^HTTP\//, ''),
      'berth.latency_ms': httpRequest.latencyMs,
    }),
  };
}
