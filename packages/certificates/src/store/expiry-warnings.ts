import type { Clock, Logger } from '@berth/kit';
import type { Certificate } from './certificate.ts';
import { expiryWarning } from './validity.ts';

/** Logs warnings about certificates that expire soon. */
export interface ExpiryWarnings {
  /** Logs a warning for each certificate that expires soon, at most once a day. */
  check(certificates: readonly Certificate[]): void;
}

const REPEAT_MS = 86_400_000;

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
        const isQuiet = lastMs !== undefined && nowMs - lastMs < REPEAT_MS;
        if (!isQuiet) logger.warn({ names, issuer, fingerprint }, `a certificate ${problem}`);
        next.set(fingerprint, isQuiet ? lastMs : nowMs);
      }
      warnedAtMs = next;
    },
  };
}
