import type { HttpRequestRecord, LogInput } from '../entry/log-entry.ts';
import { normalizeTimestamp, timestampMs } from '../entry/timestamp.ts';
import { parseDurationMs } from '../query/filter/parse-quantity.ts';

/** Maximum characters of a text that becomes a field. */
const TEXT_MAX = 256;
const LABELS_MAX = 64;

/** Keys that loggers use for these fields. Source: Cloud Logging, "Special fields in structured payloads". */
const TIME_KEYS = ['time', 'timestamp'] as const;
const TRACE_KEYS = ['logging.googleapis.com/trace', 'trace', 'trace_id', 'traceId'] as const;
const LABEL_KEYS = ['logging.googleapis.com/labels', 'labels'] as const;

type Payload = Readonly<Record<string, unknown>>;

/**
 * Returns the entry fields that a JSON line sets besides severity and message: time (RFC 3339), trace, labels (texts
 * only) and httpRequest. Values of another form are ignored. The payload keeps all of them.
 */
export function liftFields(payload: Payload): Pick<LogInput, 'timeMs' | 'trace' | 'labels' | 'httpRequest'> {
  const timeMs = firstOf(payload, TIME_KEYS, readTimeMs);
  const trace = firstOf(payload, TRACE_KEYS, readTrace);
  const labels = firstOf(payload, LABEL_KEYS, readLabels);
  const httpRequest = firstOf(payload, ['httpRequest'], readHttpRequest);
  return {
    ...(timeMs === undefined ? {} : { timeMs }),
    ...(trace === undefined ? {} : { trace }),
    ...(labels === undefined ? {} : { labels }),
    ...(httpRequest === undefined ? {} : { httpRequest }),
  };
}

function firstOf<Value>(
  payload: Payload,
  keys: readonly string[],
  read: (value: unknown) => Value | undefined,
): Value | undefined {
  for (const key of keys) {
    const value = payload[key] === undefined ? undefined : read(payload[key]);
    if (value !== undefined) return value;
  }
  return undefined;
}

function readTimeMs(value: unknown): number | undefined {
  if (typeof value !== 'string' || value.length > TEXT_MAX) return undefined;
  try {
    return timestampMs(normalizeTimestamp(value));
  } catch {
    return undefined;
  }
}

/** `projects/x/traces/ID` becomes the id. */
function readTrace(value: unknown): string | undefined {
  const text = readText(value);
  return text?.slice(text.lastIndexOf('/') + 1) || undefined;
}

function readLabels(value: unknown): Readonly<Record<string, string>> | undefined {
  if (!isObject(value)) return undefined;
  const labels = Object.entries(value).filter(([, label]) => readText(label) !== undefined);
  if (labels.length === 0 || labels.length > LABELS_MAX) return undefined;
  return Object.fromEntries(labels) as Record<string, string>;
}

/** Reads a request that the program reports. Without a method and a URL it stays payload only. */
function readHttpRequest(value: unknown): HttpRequestRecord | undefined {
  if (!isObject(value)) return undefined;
  const method = readText(value['requestMethod']);
  const url = typeof value['requestUrl'] === 'string' ? value['requestUrl'] : undefined;
  if (method === undefined || url === undefined) return undefined;
  return {
    method,
    url,
    status: readCount(value['status']),
    latencyMs: readLatencyMs(value['latency']),
    requestSize: readCount(value['requestSize']),
    responseSize: readCount(value['responseSize']),
    remoteIp: readText(value['remoteIp']) ?? '',
    userAgent: readText(value['userAgent']) ?? '',
    protocol: readText(value['protocol']) ?? '',
  };
}

/** Reads `"0.25s"`, or `{seconds, nanos}`. */
function readLatencyMs(value: unknown): number {
  if (isObject(value)) return readCount(value['seconds']) * 1_000 + readCount(value['nanos']) / 1e6;
  return Math.max(0, parseDurationMs(readText(value) ?? '') ?? 0);
}

/** Reads a whole number from 0, also as text, which such lines use for 64-bit integers. */
function readCount(value: unknown): number {
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : 0;
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= TEXT_MAX ? value : undefined;
}

function isObject(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
