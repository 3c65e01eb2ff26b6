import { readFile } from 'node:fs/promises';
import { createError } from '@berth/contract/errors';
import { BerthError, describeError, type Logger } from '@berth/kit';
import { type Certificate, describeReason, readCertificate } from './certificate.ts';

/** Paths of a certificate that the operator maintains. */
export interface CertificatePaths {
  /** PEM file with the certificate, followed by its chain. */
  readonly cert: string;
  /** PEM file with the key, without a passphrase; may be the same file. */
  readonly key: string;
}

/** A certificate read from files that may change at any time. */
export interface CertificateFile {
  readonly paths: CertificatePaths;
  /** The newest valid pair. */
  readonly current: Certificate;
  /**
   * Reads the files again and resolves to whether `current` changed. An invalid pair is logged once per reason and
   * changes nothing: when two files are replaced one after the other, the pair is invalid in between.
   */
  reload(): Promise<boolean>;
}

/** Reads a certificate and its key from files. @throws `invalid` that names the files and the problem. */
export async function openCertificateFile(paths: CertificatePaths, logger: Logger): Promise<CertificateFile> {
  let current = await read(paths);
  let lastProblem: string | undefined;
  return {
    paths,
    get current() {
      return current;
    },
    async reload() {
      try {
        const next = await read(paths);
        lastProblem = undefined;
        if (next.certPem === current.certPem && next.keyPem === current.keyPem) return false;
        current = next;
        logger.info(
          { cert: paths.cert, names: next.names, notAfter: new Date(next.notAfterMs) },
          'certificate reloaded',
        );
        return true;
      } catch (error) {
        const problem = BerthError.is(error) ? error.message : describeError(error);
        if (problem !== lastProblem)
          logger.error({ problem }, 'a changed certificate is invalid; the previous one stays in use');
        lastProblem = problem;
        return false;
      }
    },
  };
}

async function read({ cert, key }: CertificatePaths): Promise<Certificate> {
  try {
    const [certPem, keyPem] = await Promise.all([readFile(cert, 'utf8'), readFile(key, 'utf8')]);
    return readCertificate(certPem, keyPem);
  } catch (cause) {
    const files = cert === key ? cert : `${cert} with the key ${key}`;
    throw createError('invalid', `The certificate ${files} cannot be used: ${describeReason(cause)}.`, { cause });
  }
}
