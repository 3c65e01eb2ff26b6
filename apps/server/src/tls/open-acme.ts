import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Certificates } from '@berth/certificates';
import { type Acme, type AcmeOptions, createAcme } from '@berth/certificates/acme';
import { type Cluster, shareCertificates } from '@berth/control';
import type { Database } from '@berth/database';
import type { Kysely } from 'kysely';
import type { PartOptions } from '../context/part-options.ts';
import { createSealers, type PlatformSecrets } from '../data-folder/platform-secrets.ts';
import { certificatesFolder } from './open-certificates.ts';
import { openDnsChallenges } from './open-dns-challenges.ts';

/** The part of the platform's state that obtaining certificates needs. */
export interface AcmeState {
  readonly db: Kysely<Database>;
  readonly cluster: Cluster;
  readonly secrets: PlatformSecrets;
}

/** Options of {@link openAcme}. */
interface OpenAcmeOptions extends Pick<PartOptions, 'config' | 'environment' | 'clock' | 'logger' | 'shutdown'> {
  readonly state: AcmeState;
}

/**
 * Starts to obtain and renew certificates from the operator's ACME authority, if one is configured. When several servers share a
 * database, one of them does, and all serve the certificates.
 */
export async function openAcme(
  options: OpenAcmeOptions,
  certificates: Pick<Certificates, 'find' | 'add' | 'reload'>,
): Promise<Acme | undefined> {
  const { config, clock, logger, shutdown } = options;
  const { db, cluster, secrets } = options.state;
  if (config.acmeDirectory === undefined) return undefined;
  if (cluster.isAlone) return createOne(options, certificates);
  let names: readonly string[] = [];
  let isOurs = false;
  const shared = shareCertificates({
    ...{ db, cluster, clock, logger },
    sealer: createSealers(secrets).environment,
    folder: certificatesFolder(config),
    reload: () => certificates.reload(),
    onTurn(isNowOurs) {
      isOurs = isNowOurs;
      acme.setNames(isOurs ? names : []);
    },
  });
  const add: Certificates['add'] = async (certificate) => {
    await certificates.add(certificate);
    await shared.add(certificate.name);
  };
  const account = shared.account(config.acmeDirectory);
  const acme = await createOne(options, { find: certificates.find, add }, { answers: shared.answers, account });
  await shared.start();
  shutdown.push('shared certificates', () => shared.close());
  return {
    ...acme,
    setNames(wanted) {
      names = [...wanted];
      if (isOurs) acme.setNames(names);
    },
  };
}

async function createOne(
  options: OpenAcmeOptions,
  certificates: Pick<Certificates, 'find' | 'add'>,
  shared?: AcmeOptions['shared'],
): Promise<Acme> {
  const { config, clock, logger, shutdown } = options;
  const { acmeEabKid: kid, acmeEabHmacKey: hmacKey } = config;
  const dns = openDnsChallenges({ ...options, db: options.state.db });
  const acme = await createAcme({
    certificates,
    wildcard: dns && { domain: config.domain.toLowerCase(), dns },
    shared,
    clock,
    logger,
    directoryUrl: config.acmeDirectory as string,
    folder: path.join(config.dataFolder, 'acme'),
    ...(config.acmeEmail ? { email: config.acmeEmail } : {}),
    ...(kid && hmacKey ? { externalAccount: { kid, hmacKey } } : {}),
    ...(config.acmeCa ? { ca: readFileSync(config.acmeCa, 'utf8') } : {}),
  });
  shutdown.push('ACME', () => acme.close());
  return acme;
}

/**
 * Returns the certificates that this server is responsible for: the operator's files, and those that it obtains for current names. A
 * stored certificate of a name that is no longer wanted expires without harm.
 */
export function certificatesInUse(
  certificates: Pick<Certificates, 'list'>,
  acme: Pick<Acme, 'status'> | undefined,
): Pick<Certificates, 'list'> {
  return {
    list() {
      const wanted = new Set(acme?.status().map(({ name }) => name));
      return certificates.list().filter(({ stored }) => stored === undefined || wanted.has(stored.name));
    },
  };
}
