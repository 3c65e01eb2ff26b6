import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Clock } from '@berth/kit';
import { describeReason } from '../store/certificate.ts';
import type { DnsRecord } from './dns-records.ts';

/** The address of a name server. */
export interface NameServer {
  /** A host name or an IP address. */
  readonly host: string;
  readonly port: number;
}

const DNS_PORT = 53;
const POLL_MS = 2_000;
const QUERY_MS = 3_000;

/** Parses `ns1.example.com`, `192.0.2.1:5353` or `[2001:db8::1]:53`. Returns undefined for anything else. */
export function parseNameServer(text: string): NameServer | undefined {
  if (isIP(text) === 6) return { host: text, port: DNS_PORT };
  const { host, port = String(DNS_PORT) } =
    /^(?<host>\[[^\]]+\]|[^:[\]]+)(:(?<port>\d{1,5}))?$/.exec(text)?.groups ?? {};
  const plain = host?.replace(/^\[|\]$/g, '') ?? '';
  const isHost = isIP(plain) > 0 || /^(?=.{1,253}$)[a-z0-9-]+(\.[a-z0-9-]+)*\.?$/i.test(plain);
  return isHost && Number(port) >= 1 && Number(port) <= 65_535 ? { host: plain, port: Number(port) } : undefined;
}

/**
 * Returns the zone that contains `name`: the longest suffix with an SOA record.
 * @param server asked, instead of the machine's resolver
 * @throws Error when none is found
 */
export async function findZone(name: string, server?: NameServer): Promise<string> {
  const resolver = await resolverOf(server);
  const labels = name.split('.');
  let last: unknown;
  for (let first = 0; first < labels.length; first++) {
    const zone = labels.slice(first).join('.');
    try {
      await resolver.resolveSoa(zone);
      return zone;
    } catch (error) {
      last = error;
    }
  }
  throw new Error(`no zone was found for ${name}: ${describeReason(last)}`);
}

/** Returns the zone's name servers, as the machine's resolver knows them. */
export async function findNameServers(zone: string): Promise<NameServer[]> {
  return (await (await resolverOf()).resolveNs(zone)).map((host) => ({ host, port: DNS_PORT }));
}

/** Options of {@link createSettledCheck}. */
export interface SettledCheckOptions {
  /** Returns the servers that have to answer with a record of `name`. */
  servers(name: string): Promise<readonly NameServer[]>;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** Creates a function that waits until every authoritative server answers with all records. @throws Error that names the others */
export function createSettledCheck({ servers, timeoutMs, clock }: SettledCheckOptions) {
  return async (records: readonly DnsRecord[], signal: AbortSignal): Promise<void> => {
    const endMs = clock.monotonicMs() + timeoutMs;
    for (;;) {
      const missing = await findMissing(records, servers);
      if (missing.length === 0) return;
      if (clock.monotonicMs() > endMs) {
        const names = [...new Set(missing)].join(', ');
        throw new Error(`the DNS record isn't answered after ${timeoutMs / 1_000} s by ${names}`);
      }
      await clock.sleep(POLL_MS, signal);
    }
  };
}

async function findMissing(
  records: readonly DnsRecord[],
  servers: SettledCheckOptions['servers'],
): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const { name, value } of records) {
    const asked = await servers(name);
    if (asked.length === 0) missing.push('any server');
    for (const server of asked) {
      // A new resolver for each question: none may answer from its cache.
      const found = await resolverOf(server)
        .then((resolver) => resolver.resolveTxt(name))
        .catch(() => []);
      if (!found.some((parts) => parts.join('') === value)) missing.push(`${server.host}:${server.port}`);
    }
  }
  return missing;
}

async function resolverOf(server?: NameServer): Promise<Resolver> {
  const resolver = new Resolver({ timeout: QUERY_MS, tries: 2 });
  if (server) {
    const { address, family } = await lookup(server.host);
    resolver.setServers([family === 6 ? `[${address}]:${server.port}` : `${address}:${server.port}`]);
  }
  return resolver;
}
