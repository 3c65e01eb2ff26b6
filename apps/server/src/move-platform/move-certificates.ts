import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { acmeAccountContext, certificateContext, type Database, type Sealer } from '@berth/database';
import type { Kysely } from 'kysely';

/** Certificates and accounts of authorities that a server keeps in files. */
export interface CertificateFiles {
  /** PEM with key and chain, by host name. */
  readonly certificates: ReadonlyMap<string, string>;
  /** JSON with the account's key, by URL of the authority's directory. */
  readonly accounts: ReadonlyMap<string, string>;
}

/** Reads the files of a data folder. */
export async function readCertificateFiles(dataFolder: string): Promise<CertificateFiles> {
  const certificates = new Map<string, string>();
  for (const file of await list(path.join(dataFolder, 'certificates'), '.pem')) {
    certificates.set(path.basename(file, '.pem'), await readFile(file, 'utf8'));
  }
  const accounts = new Map<string, string>();
  for (const file of await list(path.join(dataFolder, 'acme'), '.json')) {
    if (!path.basename(file).startsWith('account-')) continue;
    const text = await readFile(file, 'utf8');
    const { directoryUrl } = JSON.parse(text) as { readonly directoryUrl?: unknown };
    if (typeof directoryUrl === 'string') accounts.set(directoryUrl, text);
  }
  return { certificates, accounts };
}

/** Adds certificates and accounts to the database, from which several servers take them. Existing rows are kept. */
export async function addCertificates(
  transaction: Kysely<Database>,
  { certificates, accounts }: CertificateFiles,
  sealer: Sealer,
): Promise<void> {
  if (certificates.size + accounts.size === 0) return;
  const box = await sealer.current(transaction);
  for (const [name, pem] of certificates) {
    const version = createHash('sha256').update(pem).digest('hex');
    await transaction
      .insertInto('certificates')
      .values({ name, sealed_pem: box.seal(pem, certificateContext(name)), version })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  for (const [url, text] of accounts) {
    await transaction
      .insertInto('acme_accounts')
      .values({ directory_url: url, sealed_account: box.seal(text, acmeAccountContext(url)) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

async function list(folder: string, extension: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names
    .filter((name) => name.endsWith(extension))
    .sort()
    .map((name) => path.join(folder, name));
}
