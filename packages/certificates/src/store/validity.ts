import type { Certificate } from './certificate.ts';

/** The span in which a certificate is good; epoch milliseconds, wall clock. */
export type Validity = Pick<Certificate, 'notBeforeMs' | 'notAfterMs'>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A certificate that is issued again by itself has been for long by then. */
const WARN_BEFORE_MS = 14 * DAY_MS;

/**
 * When a certificate is renewed: with a third of its lifetime left.
 * Source: letsencrypt.org/docs/integration-guide (a third for 90 days); the ratio fits certificates of six days too.
 */
export function renewAtMs({ notBeforeMs, notAfterMs }: Validity): number {
  return notAfterMs - (notAfterMs - notBeforeMs) / 3;
}

/** What to tell the operator about a certificate's end, as the end of a sentence; undefined while it has time. */
export function expiryWarning({ notBeforeMs, notAfterMs }: Validity, nowMs: number): string | undefined {
  if (nowMs >= notAfterMs) return `expired on ${date(notAfterMs)}`;
  if (nowMs < notBeforeMs) return `is not valid before ${date(notBeforeMs)}`;
  const leftMs = notAfterMs - nowMs;
  // Of a short-lived one two weeks may be its whole life.
  if (leftMs > Math.min(WARN_BEFORE_MS, (notAfterMs - notBeforeMs) / 5)) return undefined;
  return `expires on ${date(notAfterMs)}, in ${Math.floor(leftMs / HOUR_MS)} hours`;
}

function date(ms: number): string {
  return new Date(ms).toISOString();
}
