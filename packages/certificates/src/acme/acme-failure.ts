/** What an ACME server answered instead of what was asked for. */
export interface AcmeFailureOptions {
  readonly message: string;
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** The last word of the problem's type, e.g. `rateLimited`; empty when the answer had none. Source: RFC 8555 6.7. */
  readonly type: string;
  /** How long the server asks to wait, in milliseconds; 0 when it did not say. */
  readonly retryAfterMs: number;
  readonly cause?: unknown;
}

/** An order or account that an ACME server refused, or a server that could not be asked. */
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

/** The last word of a problem's type: `urn:ietf:params:acme:error:rateLimited` → `rateLimited`. */
export function problemType(body: unknown): string {
  const { type } = asProblem(body);
  return typeof type === 'string' ? (type.split(':').at(-1) ?? '') : '';
}

/** A problem document as a sentence, its subproblems included; undefined when there is none. */
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

/** `Retry-After` in milliseconds, seconds or a date; 0 for none or nonsense. Source: RFC 9110 10.2.3. */
export function parseRetryAfterMs(header: string | undefined, nowMs: number): number {
  if (header === undefined) return 0;
  const seconds = /^\d{1,9}$/.test(header.trim()) ? Number(header) : undefined;
  const ms = seconds === undefined ? Date.parse(header) - nowMs : seconds * 1_000;
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}
