import type { IncomingHttpHeaders } from 'node:http';
import { ModelError, type ModelFault } from '../model-error.ts';

interface RefusedAnswer {
  readonly name: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly nowMs: number;
}

/** Longest quote of the upstream's error. */
const MAX_WORDS = 500;

/** Returns the fault that a status other than 200 means. */
export function faultOfAnswer({ name, status, headers, text, nowMs }: RefusedAnswer): ModelError {
  const { words, code } = readError(text);
  const fault = faultOfStatus(status, `${code} ${words}`);
  const said = words === '' ? '' : `: ${words}`;
  return new ModelError(fault, `${name} answered ${status}${said}`, { retryAfterMs: readRetryAfter(headers, nowMs) });
}

/** Returns the fault that an error inside a stream means. */
export function faultOfEvent(name: string, error: unknown): ModelError {
  const { words, code } = readError(JSON.stringify({ error }));
  const status = Number(Object(error)['code'] ?? Object(error)['status']) || 0;
  const fault = /overload|server_error|api_error|internal|unavailable/.test(code)
    ? 'overloaded'
    : faultOfStatus(status, `${code} ${words}`);
  return new ModelError(fault, `${name} stopped with an error${words === '' ? '' : `: ${words}`}`);
}

function faultOfStatus(status: number, said: string): ModelFault {
  // An exhausted quota has the same status as a rate limit, but waiting doesn't help.
  if (/insufficient_quota|billing|credit balance/i.test(said)) return 'not_allowed';
  if (status === 429 || /rate_limit/.test(said)) return 'rate_limited';
  if (status === 408 || status === 409 || status >= 500) return 'overloaded';
  if (status === 401 || status === 403) return 'not_allowed';
  if (/context_length|context length|prompt is too long|too many tokens|context window/i.test(said)) {
    return 'context_full';
  }
  return 'refused';
}

/** Reads the forms in use: `{"error": {message, type, code}}`, `{"error": "…"}`, `{"message"}`, `{"detail"}`. */
function readError(text: string): { readonly words: string; readonly code: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const words = text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
    return { words: words.trim().slice(0, MAX_WORDS), code: '' };
  }
  const outer = Object(value);
  const error = Object(outer['error'] ?? outer);
  const words = [error['message'], outer['error'], outer['detail'], outer['message']].find(
    (one) => typeof one === 'string',
  );
  return {
    words: String(words ?? JSON.stringify(value)).slice(0, MAX_WORDS),
    code: [error['type'], error['code']].filter((one) => typeof one === 'string').join(' '),
  };
}

/** Returns the wait in milliseconds. Source: RFC 9110 10.2.3; some servers send `retry-after-ms`. */
function readRetryAfter(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (exact >= 0) return exact;
  const text = headers['retry-after'];
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (seconds >= 0) return seconds * 1_000;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
