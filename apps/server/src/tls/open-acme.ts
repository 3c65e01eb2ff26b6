import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Certificates } from '@berth/certificates';
import { type Acme, createAcme } from '@berth/certificates/acme';
import type { PartOptions } from '../context/part-options.ts';

/** Starts to obtain and renew certificates from the operator's ACME authority, if one is configured. */
export async function openAcme(
  { config, clock, logger, shutdown }: Pick<PartOptions, 'config' | 'clock' | 'logger' | 'shutdown'>,
  certificates: Pick<Certificates, 'find' | 'add'>,
): Promise<Acme | undefined> {
  if (config.acmeDirectory === undefined) return undefined;
  const { acmeEabKid: kid, acmeEabHmacKey: hmacKey } = config;
  const acme = await createAcme({
    certificates,
    clock,
    logger,
    directoryUrl: config.acmeDirectory,
    folder: path.join(config.dataFolder, 'acme'),
    ...(config.acmeEmail ? { email: config.acmeEmail } : {}),
    ...(kid && hmacKey ? { externalAccount: { kid, hmacKey } } : {}),
    ...(config.acmeCa ? { ca: readFileSync(config.acmeCa, 'utf8') } : {}),
  });
  shutdown.push('ACME', () => acme.close());
  return acme;
}
