import { z } from 'zod';

/** The error for a refused order or account, or for a server that cannot be reached. */
export class AcmeFailure extends Error {
  override readonly name = 'AcmeFailure';
  /**
   * The last segment of the problem's type, e.g. `rateLimited`; empty if the response had none. Source: RFC 8555 6.7.
   */
  readonly type: string;
  /** How long the server asks to wait, in milliseconds; 0 if it gave no time. */
  readonly retryAfterMs: number;

  constructor(
    message: string,
    {
      type = '',
      retryAfterMs = 0,
      ...options
    }: ErrorOptions & { readonly type?: string; readonly retryAfterMs?: number } = {},
  ) {
    super(message, options);
    this.type = type;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A problem document; missing and invalid parts are empty. Source: RFC 7807 and RFC 8555 6.7. */
const problemSchema = z
  .object({ type: z.string().catch(''), detail: z.string().catch(''), subproblems: z.array(z.unknown()).catch([]) })
  .catch({ type: '', detail: '', subproblems: [] });

/** Returns the last segment of a problem's type: `urn:ietf:params:acme:error:rateLimited` → `rateLimited`. */
export function problemType(body: unknown): string {
  return problemSchema.parse(body).type.split(':').at(-1) ?? '';
}

/** Formats a problem document and its subproblems as one sentence; returns undefined if `body` isn't one. */
export function describeProblem(body: unknown): string | undefined {
  const { detail, subproblems } = problemSchema.parse(body);
  const type = problemType(body);
  if (detail === '' && type === '') return undefined;
  const own = [type, detail].filter((part) => part !== '').join(': ');
  return [own, ...subproblems.flatMap((part) => describeProblem(part) ?? [])].join('; ');
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
