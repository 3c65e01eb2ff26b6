import path from 'node:path';
import type { Server as TlsServer } from 'node:tls';
import { type Certificates, createCertificates } from '@berth/certificates';
import { createError } from '@berth/contract/errors';
import { createFrontServer, type FrontServer, type FrontServerOptions } from '@berth/gateway';
import type { Config } from '../config/read-config.ts';
import type { PartOptions } from '../context/part-options.ts';

/** Options of {@link openCertificates}. */
export interface OpenCertificatesOptions extends Pick<PartOptions, 'clock' | 'logger' | 'shutdown'> {
  readonly config: Pick<Config, 'dataFolder' | 'tlsCert' | 'tlsKey' | 'acmeDirectory'>;
  /** Host name of the API, whose certificate clients without SNI get. */
  readonly apiHost: string;
}

/** Returns the folder of obtained certificates. */
export function certificatesFolder({ dataFolder }: Pick<Config, 'dataFolder'>): string {
  return path.join(dataFolder, 'certificates');
}

/** Returns true when TLS is configured. */
export function hasTls({ tlsCert, acmeDirectory }: Pick<Config, 'tlsCert' | 'acmeDirectory'>): boolean {
  return tlsCert.length > 0 || acmeDirectory !== undefined;
}

/** Returns the host that the TLS port listens on. */
export function tlsHost({ host }: Pick<Config, 'host'>): string {
  return host === 'localhost' ? '127.0.0.1' : host;
}

/**
 * Opens the operator's certificates and those obtained before; undefined without TLS.
 * @throws BerthError `invalid` for an unusable certificate
 */
export async function openCertificates(options: OpenCertificatesOptions): Promise<Certificates | undefined> {
  const { config, apiHost, clock, logger, shutdown } = options;
  if (config.tlsCert.length !== config.tlsKey.length) {
    throw createError(
      'invalid',
      'BERTH_TLS_CERT and BERTH_TLS_KEY must list the same number of files: one key per certificate.',
    );
  }
  if (!hasTls(config)) return undefined;
  const certificates = await createCertificates({
    files: config.tlsCert.map((cert, index) => ({ cert, key: config.tlsKey[index] as string })),
    folder: certificatesFolder(config),
    defaultName: apiHost,
    clock,
    logger,
  });
  shutdown.push('certificates', () => certificates.close());
  return certificates;
}

/**
 * Creates the TLS server, which speaks HTTP/2 and HTTP/1.1 by ALPN.
 * @param ticketKeys keys of session tickets, 48 bytes, that several servers share; random ones by default
 */
export function createTlsServer(
  certificates: Certificates,
  handlers: FrontServerOptions,
  ticketKeys?: Buffer,
): FrontServer {
  const front = createFrontServer({
    ...handlers,
    tls: { ...certificates.tlsOptions, ...(ticketKeys && { ticketKeys }) },
  });
  certificates.attach(front.server as TlsServer);
  return front;
}
