import type { Certificate } from './certificate.ts';

/** What is needed of a certificate to choose it. */
export type Choosable = Pick<Certificate, 'names' | 'notBeforeMs' | 'notAfterMs'>;

/** Finds the certificate for a server name. */
export interface CertificateIndex<Entry extends Choosable> {
  /**
   * The best one that is good for `serverName`: of those that are valid at `nowMs` the one with the exact name, then one
   * with a wildcard; within each the one given first. Without a valid one, an expired one: the client then says why.
   */
  find(serverName: string, nowMs: number): Entry | undefined;
}

/** @param entries in the order in which they are preferred. */
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

/** Names compare without case and without a final dot. */
export function normalizeServerName(name: string): string {
  const lower = name.toLowerCase();
  return lower.endsWith('.') ? lower.slice(0, -1) : lower;
}
