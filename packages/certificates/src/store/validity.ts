import type { Clock, Logger } from '@berth/kit';
import type { Certificate } from './certificate.ts';

/** The validity period of a certificate; epoch milliseconds, wall clock. */
export type Validity = Pick<Certificate, 'notBeforeMs' | 'notAfterMs'>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How long before its expiry a certificate is reported. Automatic renewal happens much earlier. */
const WARN_BEFORE_MS = 14 * DAY_MS;

/**
 * Returns the time at which a certificate is renewed: with a third of its lifetime left.
 * Source: letsencrypt.org/docs/integration-guide (a third for 90 days); the ratio fits certificates of six days too.
 */
export function renewAtMs({ notBeforeMs, notAfterMs }: Validity): number {
  return notAfterMs - (notAfterMs - notBeforeMs) / 3;
}

/** Returns a warning about a certificate's validity, as the end of a sentence; undefined if none is needed. */
export function expiryWarning({ notBeforeMs, notAfterMs }: Validity, nowMs: number): string | undefined {
  if (nowMs >= notAfterMs) return `expired on ${date(notAfterMs)}`;
  if (nowMs < notBeforeMs) return `is not valid before ${date(notBeforeMs)}`;
  const leftMs = notAfterMs - nowMs;
  // Two weeks may be the whole lifetime of a short-lived certificate.
  if (leftMs > Math.min(WARN_BEFORE_MS, (notAfterMs - notBeforeMs) / 5)) return undefined;
  return `expires on ${date(notAfterMs)}, in ${Math.floor(leftMs / HOUR_MS)} hours`;
}

function date(ms: number): string {
  return new Date(ms).toISOString();
}

/** Logs warnings about certificates that expire soon. */
export interface ExpiryWarnings {
  /** Logs a warning for each certificate that expires soon, at most once a day. */
  check(certificates: readonly Certificate[]): void;
}

/** Creates the warnings; nothing has been logged yet. */
export function createExpiryWarnings(clock: Clock, logger: Logger): ExpiryWarnings {
  let warnedAtMs = new Map<string, number>();
  return {
    check(certificates) {
      const nowMs = clock.nowMs();
      // Removed certificates disappear with the old map.
      const next = new Map<string, number>();
      for (const { names, issuer, fingerprint, ...validity } of certificates) {
        const problem = expiryWarning(validity, nowMs);
        if (!problem) continue;
        const lastMs = warnedAtMs.get(fingerprint);
        const isQuiet = lastMs !== undefined && nowMs - lastMs < DAY_MS;
        if (!isQuiet) logger.warn({ names, issuer, fingerprint }, `a certificate ${problem}`);
        next.set(fingerprint, isQuiet ? lastMs : nowMs);
      }
      warnedAtMs = next;
    },
  };
}
