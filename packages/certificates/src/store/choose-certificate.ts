import type { Certificate } from './certificate.ts';

/** The part of a certificate that selection needs. */
export type Choosable = Pick<Certificate, 'names' | 'notBeforeMs' | 'notAfterMs'>;

/** An index of certificates by server name. */
export interface CertificateIndex<Entry extends Choosable> {
  /**
   * Returns the best certificate for `serverName`. Certificates valid at `nowMs` come first: those with the exact name,
   * then wildcards, each in the given order. If none is valid, an expired one is returned, so that clients can report
   * the reason.
   */
  find(serverName: string, nowMs: number): Entry | undefined;
}

/**
 * Creates an index.
 * @param entries in order of preference.
 */
export function createCertificateIndex<Entry extends Choosable>(entries: readonly Entry[]): CertificateIndex<Entry> {
  const byName = new Map<string, Entry[]>();
  for (const entry of entries) {
    for (const name of entry.names) {
      const known = byName.get(name);
      if (known) known.push(entry);
      else byName.set(name, [entry]);
    }
  }
  return {
    find(serverName, nowMs) {
      const name = normalizeServerName(serverName);
      const exact = byName.get(name) ?? [];
      // A wildcard stands for exactly one label. Source: RFC 6125 6.4.3.
      const dot = name.indexOf('.');
      const wildcard = dot < 1 ? [] : (byName.get(`*${name.slice(dot)}`) ?? []);
      const isValid = (entry: Entry) => entry.notBeforeMs <= nowMs && nowMs < entry.notAfterMs;
      return exact.find(isValid) ?? wildcard.find(isValid) ?? exact[0] ?? wildcard[0];
    },
  };
}

/** Returns a server name in lower case and without a final dot, for comparisons. */
export function normalizeServerName(name: string): string {
  const lower = name.toLowerCase();
  return lower.endsWith('.') ? lower.slice(0, -1) : lower;
}
