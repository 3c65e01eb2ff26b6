/** Properties of a new {@link AcmeFailure}. */
export interface AcmeFailureOptions {
  readonly message: string;
  /** HTTP status; 0 if there was no response. */
  readonly status: number;
  /**
   * The last segment of the problem's type, e.g. `rateLimited`; empty if the response had none. Source: RFC 8555 6.7.
   */
  readonly type: string;
  /** How long the server asks to wait, in milliseconds; 0 if it gave no time. */
  readonly retryAfterMs: number;
  readonly cause?: unknown;
}

/** The error for a refused order or account, or for a server that cannot be reached. */
export class AcmeFailure extends Error {
  readonly status: number;
  readonly type: string;
  readonly retryAfterMs: number;

  constructor({ message, status, type, retryAfterMs, cause }: AcmeFailureOptions) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'AcmeFailure';
    this.status = status;
    this.type = type;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A problem document. Source: RFC 7807 and RFC 8555 6.7. */
interface Problem {
  readonly type?: unknown;
  readonly detail?: unknown;
  readonly subproblems?: unknown;
}

/** Returns the last segment of a problem's type: `urn:ietf:params:acme:error:rateLimited` → `rateLimited`. */
export function problemType(body: unknown): string {
  const { type } = asProblem(body);
  return typeof type === 'string' ? (type.split(':').at(-1) ?? '') : '';
}

/** Formats a problem document and its subproblems as one sentence; returns undefined if `body` isn't one. */
export function describeProblem(body: unknown): string | undefined {
  const { detail, subproblems } = asProblem(body);
  const type = problemType(body);
  if (typeof detail !== 'string' && type === '') return undefined;
  const parts = Array.isArray(subproblems) ? subproblems.map((part) => describeProblem(part) ?? '') : [];
  const own = [type, typeof detail === 'string' ? detail : ''].filter((part) => part !== '').join(': ');
  return [own, ...parts.filter((part) => part !== '')].join('; ');
}

function asProblem(body: unknown): Problem {
  return typeof body === 'object' && body !== null ? body : {};
}

/**
 * Parses a `Retry-After` header, in seconds or as a date, to milliseconds; returns 0 if it is missing or invalid.
 * Source: RFC 9110 10.2.3.
 */
export function parseRetryAfterMs(header: string | undefined, nowMs: number): number {
  if (header === undefined) return 0;
  const seconds = /^\d{1,9}$/.test(header.trim()) ? Number(header) : undefined;
  const ms = seconds === undefined ? Date.parse(header) - nowMs : seconds * 1_000;
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}
