import {
  createDnsChallenges,
  createDnsCommand,
  createDynamicUpdates,
  createSettledCheck,
  type DnsChallenges,
  type DnsProvider,
  findNameServers,
  findZone,
  type NameServer,
  parseNameServer,
} from '@berth/certificates/dns';
import { createError } from '@berth/contract/errors';
import { createDnsRecordList } from '@berth/control';
import type { Database } from '@berth/database';
import type { Kysely } from 'kysely';
import type { PartOptions } from '../context/part-options.ts';

/** Options of {@link openDnsChallenges}. */
export interface OpenDnsChallengesOptions extends Pick<PartOptions, 'config' | 'environment' | 'clock' | 'logger'> {
  readonly db: Kysely<Database>;
}

/**
 * Returns the way to prove the platform's domain over DNS; undefined when the settings name none.
 * @throws BerthError `invalid` for an unusable name server
 */
export function openDnsChallenges(options: OpenDnsChallengesOptions): DnsChallenges | undefined {
  const { config, clock, logger, db } = options;
  if ((config.acmeDnsServer ?? config.acmeDnsCommand) === undefined) return undefined;
  const server = config.acmeDnsServer === undefined ? undefined : read('BERTH_ACME_DNS_SERVER', config.acmeDnsServer);
  const checked = config.acmeDnsCheck.map((text) => read('BERTH_ACME_DNS_CHECK', text));
  const zoneOf = async (name: string) => config.acmeDnsZone ?? (await findZone(name, server));
  const timeoutMs = config.acmeDnsTimeout * 1_000;
  return createDnsChallenges({
    provider: openProvider(options, server, zoneOf),
    records: createDnsRecordList(db),
    settled: createSettledCheck({
      servers: async (name) => (checked.length > 0 ? checked : findNameServers(await zoneOf(name))),
      ...{ timeoutMs, clock },
    }),
    logger,
  });
}

function openProvider(
  { config, environment, clock }: OpenDnsChallengesOptions,
  server: NameServer | undefined,
  zoneOf: (name: string) => Promise<string>,
): DnsProvider {
  if (server) {
    const [, name = '', secret = ''] = (config.acmeDnsKey as string).split(':');
    return createDynamicUpdates({
      ...{ server, findZone: zoneOf, clock },
      key: { name, secret: Buffer.from(secret, 'base64') },
    });
  }
  const known = config.acmeDnsCommandEnv.map((name) => [name, environment[name]] as const);
  return createDnsCommand({
    words: config.acmeDnsCommand as readonly string[],
    environment: Object.fromEntries(known.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
    timeoutMs: config.acmeDnsTimeout * 1_000,
    clock,
  });
}

function read(setting: string, text: string): NameServer {
  const server = parseNameServer(text);
  if (server) return server;
  throw createError('invalid', `${setting}: "${text}" is not a name server. Use a form such as 192.0.2.1:53.`);
}
