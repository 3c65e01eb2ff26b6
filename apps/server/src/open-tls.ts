import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Server as TlsServer } from 'node:tls';
import { type Acme, type Certificates, createAcme, createCertificates } from '@berth/certificates';
import { createError } from '@berth/contract';
import { createFrontServer, type FrontServer, type FrontServerOptions } from '@berth/gateway';
import type { Clock, Logger } from '@berth/kit';
import type { Config } from './config/read-config.ts';
import { bind } from './listen.ts';
import type { Shutdown } from './shutdown.ts';

/** The TLS side of the platform. */
export interface Tls {
  readonly acme: Acme | undefined;
  /** A client that asks for `host` is shown a certificate of that name. */
  hasCertificate(host: string): boolean;
  /** Looks at the certificate files now. */
  reload(): Promise<void>;
}

/** What certificates and their authority are opened with. */
export interface OpenCertificatesOptions {
  readonly config: Pick<Config, 'dataFolder' | 'tlsCert' | 'tlsKey' | 'acmeDirectory'>;
  /** Host name of the API: what a client without SNI is shown. */
  readonly apiHost: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly shutdown: Shutdown;
}

export interface OpenTlsOptions extends OpenCertificatesOptions {
  readonly config: Config;
  readonly handlers: FrontServerOptions;
}

/**
 * Opens the TLS port when the operator gave certificates or an ACME directory; undefined when neither.
 * @throws BerthError `invalid` for a certificate that can't be used; `conflict` when the port is taken.
 */
export async function openTls(options: OpenTlsOptions): Promise<Tls | undefined> {
  const { config, handlers, shutdown } = options;
  const certificates = await openCertificates(options);
  if (certificates === undefined) return undefined;
  const front = createTlsServer(certificates, handlers);
  await bind(front.server, tlsHost(config), config.tlsPort);
  shutdown.push('TLS listener', () => front.close());
  const acme = await openAcme(options, certificates);
  const hasCertificate = (host: string) => certificates.find(host) !== undefined;
  return { acme, hasCertificate, reload: () => certificates.reload() };
}

/** The operator wants TLS. */
export function hasTls({ tlsCert, acmeDirectory }: Pick<Config, 'tlsCert' | 'acmeDirectory'>): boolean {
  return tlsCert.length > 0 || acmeDirectory !== undefined;
}

/** Where TLS is listened for. */
export function tlsHost({ host }: Pick<Config, 'host'>): string {
  return host === 'localhost' ? '127.0.0.1' : host;
}

/**
 * The operator's certificates and those that were got before; undefined when there is to be no TLS.
 * @throws BerthError `invalid` for a certificate that can't be used.
 */
export async function openCertificates(options: OpenCertificatesOptions): Promise<Certificates | undefined> {
  const { config, apiHost, clock, logger, shutdown } = options;
  if (config.tlsCert.length !== config.tlsKey.length) {
    throw createError(
      'invalid',
      'BERTH_TLS_CERT and BERTH_TLS_KEY must name as many files: a key for each certificate.',
    );
  }
  if (!hasTls(config)) return undefined;
  const certificates = await createCertificates({
    files: config.tlsCert.map((cert, index) => ({ cert, key: config.tlsKey[index] as string })),
    folder: path.join(config.dataFolder, 'certificates'),
    defaultName: apiHost,
    ...{ clock, logger },
  });
  shutdown.push('certificates', () => certificates.close());
  return certificates;
}

/** The server in front for TLS: HTTP/2 and HTTP/1.1 by ALPN. */
export function createTlsServer(certificates: Certificates, handlers: FrontServerOptions): FrontServer {
  const front = createFrontServer({ ...handlers, tls: certificates.tlsOptions });
  certificates.attach(front.server as TlsServer);
  return front;
}

/** Has certificates got and renewed by the operator's authority, when there is one. */
export async function openAcme(
  { config, clock, logger, shutdown }: Omit<OpenTlsOptions, 'handlers' | 'apiHost'>,
  certificates: Pick<Certificates, 'find' | 'add'>,
): Promise<Acme | undefined> {
  if (config.acmeDirectory === undefined) return undefined;
  const { acmeEabKid: kid, acmeEabHmacKey: hmacKey } = config;
  const acme = await createAcme({
    ...{ certificates, clock, logger },
    directoryUrl: config.acmeDirectory,
    folder: path.join(config.dataFolder, 'acme'),
    ...(config.acmeEmail ? { email: config.acmeEmail } : {}),
    ...(kid && hmacKey ? { externalAccount: { kid, hmacKey } } : {}),
    ...(config.acmeCa ? { ca: readFileSync(config.acmeCa, 'utf8') } : {}),
  });
  shutdown.push('ACME', () => acme.close());
  return acme;
}
