import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { createError } from '@berth/contract/errors';
import type { Clock, Logger } from '@berth/kit';
import { writePrivateFile } from '@berth/kit/node';
import { type Certificate, describeReason, readCertificate } from './certificate.ts';
import { createCertificateIndex, normalizeServerName } from './choose-certificate.ts';

/** A certificate in Berth's own folder. */
export interface StoredCertificate extends Certificate {
  /** The host name it was issued for. */
  readonly name: string;
  /** Where the certificate came from, e.g. the URL of an ACME directory; empty if unknown. */
  readonly source: string;
}

/** A certificate to add to a {@link CertificateFolder}. */
export interface NewCertificate {
  /** PEM: the certificate, followed by its chain. */
  readonly name: string;
  /** PEM of the key, without a passphrase. */
  readonly certPem: string;
  readonly keyPem: string;
  /** One line without control characters. */
  readonly source?: string;
}

/**
 * A folder of certificates, one file each. The key and the chain share a file, so that a pair is always complete. Files
 * have mode 0600, the folder has 0700.
 */
export interface CertificateFolder {
  /** The certificates by host name. */
  readonly certificates: ReadonlyMap<string, StoredCertificate>;
  /**
   * Stores a certificate and replaces any other of the same name; it is on disk when this resolves.
   * @throws `invalid` if the certificate is unusable or not for that name.
   */
  add(certificate: NewCertificate): Promise<void>;
  /** Deletes the certificate of `name`, if there is one. */
  remove(name: string): Promise<void>;
  /** Reads the changes that other processes made; resolves to whether there were any. */
  reload(): Promise<boolean>;
}

/** A host name that is also a safe file name. */
const NAME = /^(?=.{1,253}$)(?!-)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/;

const SOURCE = /^# source: (.*)$/m;

/** How long expired certificates are kept. A name whose certificate isn't renewed in that time is no longer in use. */
const KEEP_EXPIRED_MS = 30 * 86_400_000;

/** Opens the folder and creates it if missing. Unusable files are logged and left in place. */
export async function openCertificateFolder(folder: string, clock: Clock, logger: Logger): Promise<CertificateFolder> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const certificates = new Map<string, StoredCertificate>();
  /**
   * The version of the file last read for each name, valid or not. Every change creates a new file under the same name.
   */
  const seen = new Map<string, string>();
  const fileOf = (name: string) => path.join(folder, `${name}.pem`);
  const versionOf = async (name: string): Promise<string> => {
    const { ino, mtimeMs, size } = await stat(fileOf(name));
    return `${ino} ${mtimeMs} ${size}`;
  };
  const take = async (name: string): Promise<boolean> => {
    try {
      const version = await versionOf(name);
      if (seen.get(name) === version) return false;
      seen.set(name, version);
      const text = await readFile(fileOf(name), 'utf8');
      const certificate = read({ name, certPem: text, keyPem: text, source: SOURCE.exec(text)?.[1] ?? '' });
      if (certificate.notAfterMs + KEEP_EXPIRED_MS < clock.nowMs()) await rm(fileOf(name), { force: true });
      else certificates.set(name, certificate);
      return true;
    } catch (error) {
      logger.error({ file: fileOf(name), problem: describeReason(error) }, 'a stored certificate is ignored');
      return false;
    }
  };
  const reload = async (): Promise<boolean> => {
    const names = new Set(
      (await readdir(folder))
        .filter((entry) => entry.endsWith('.pem'))
        .map((entry) => entry.slice(0, -'.pem'.length))
        .filter((name) => NAME.test(name)),
    );
    let isChanged = false;
    for (const name of names) if (await take(name)) isChanged = true;
    for (const name of [...seen.keys()].filter((known) => !names.has(known))) {
      seen.delete(name);
      if (certificates.delete(name)) isChanged = true;
    }
    return isChanged;
  };
  await reload();
  return {
    certificates,
    async add({ name: givenName, certPem, keyPem, source = '' }) {
      const name = normalizeServerName(givenName);
      if (!NAME.test(name)) throw createError('invalid', `"${givenName}" is not a host name.`);
      if (/\p{Cc}/u.test(source)) throw createError('invalid', 'The source of a certificate is one line.');
      const text = `# source: ${source}\n${keyPem.trim()}\n${certPem.trim()}\n`;
      // Parsed from the final text, so that the next start reads the same certificate.
      const certificate = read({ name, certPem: text, keyPem: text, source });
      await writePrivateFile(fileOf(name), text);
      seen.set(name, await versionOf(name));
      certificates.set(name, certificate);
    },
    async remove(name) {
      if (!certificates.delete(name)) return;
      seen.delete(name);
      await rm(fileOf(name), { force: true });
    },
    reload,
  };
}

function read({ name, certPem, keyPem, source }: Required<NewCertificate>): StoredCertificate {
  const certificate = readCertificate(certPem, keyPem);
  if (!createCertificateIndex([certificate]).find(name, certificate.notBeforeMs)) {
    const names = certificate.names.join(', ') || 'no name';
    throw createError('invalid', `The certificate is for ${names}, not for ${name}.`);
  }
  return { ...certificate, name, source };
}
