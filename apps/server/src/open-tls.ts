import { readFileSync } from 'node:fs';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import path from 'node:path';
import { type Acme, type Certificates, createAcme, createCertificates } from '@berth/certificates';
import { createError } from '@berth/contract';
import type { FrontServerOptions } from '@berth/gateway';
import type { Clock, Logger } from '@berth/kit';
import type { Config } from './config/read-config.ts';
import { bind } from './listen.ts';
import type { Shutdown } from './shutdown.ts';

/** The TLS side of the platform. */
export interface Tls {
  readonly port: number;
  readonly acme: Acme | undefined;
  /** Looks at the certificate files now. */
  reload(): Promise<void>;
}

export interface OpenTlsOptions {
  readonly config: Config;
  readonly dataFolder: string;
  /** Host name of the API: what a client without SNI is shown. */
  readonly apiHost: string;
  readonly handlers: FrontServerOptions;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly shutdown: Shutdown;
}

/**
 * Opens the TLS port when the operator gave certificates or an ACME directory; undefined when neither.
 * @throws BerthError `invalid` for a certificate that can't be used; `conflict` when the port is taken.
 */
export async function openTls(options: OpenTlsOptions): Promise<Tls | undefined> {
  const { config, dataFolder, clock, logger, shutdown } = options;
  if (config.tlsCert.length !== config.tlsKey.length) {
    throw createError(
      'invalid',
      'BERTH_TLS_CERT and BERTH_TLS_KEY must name as many files: a key for each certificate.',
    );
  }
  if (config.tlsCert.length === 0 && config.acmeDirectory === undefined) return undefined;
  const certificates = await createCertificates({
    files: config.tlsCert.map((cert, index) => ({ cert, key: config.tlsKey[index] as string })),
    folder: path.join(dataFolder, 'certificates'),
    defaultName: options.apiHost,
    ...{ clock, logger },
  });
  shutdown.push('certificates', () => certificates.close());
  const port = await listenTls(options, certificates);
  const acme = await openAcme(options, certificates);
  return { port, acme, reload: () => certificates.reload() };
}

async function listenTls({ config, handlers, shutdown }: OpenTlsOptions, certificates: Certificates): Promise<number> {
  const server: Http2SecureServer = createSecureServer({ ...certificates.tlsOptions, allowHTTP1: true });
  // The compatibility API of HTTP/2 has the shape of the HTTP/1 objects.
  const onRequest = handlers.onRequest as unknown as Parameters<Http2SecureServer['on']>[1];
  server.on('request', onRequest);
  server.on('checkContinue', onRequest);
  server.on('upgrade', handlers.onUpgrade as unknown as Parameters<Http2SecureServer['on']>[1]);
  certificates.attach(server);
  const host = config.host === 'localhost' ? '127.0.0.1' : config.host;
  const port = await bind(server, host, config.tlsPort);
  shutdown.push('TLS listener', () => void server.close());
  return port;
}

async function openAcme(options: OpenTlsOptions, certificates: Certificates): Promise<Acme | undefined> {
  const { config, dataFolder, clock, logger, shutdown } = options;
  if (config.acmeDirectory === undefined) return undefined;
  const { acmeEabKid: kid, acmeEabHmacKey: hmacKey } = config;
  const acme = await createAcme({
    ...{ certificates, clock, logger },
    directoryUrl: config.acmeDirectory,
    folder: path.join(dataFolder, 'acme'),
    ...(config.acmeEmail ? { email: config.acmeEmail } : {}),
    ...(kid && hmacKey ? { externalAccount: { kid, hmacKey } } : {}),
    ...(config.acmeCa ? { ca: readFileSync(config.acmeCa, 'utf8') } : {}),
  });
  shutdown.push('ACME', () => acme.close());
  return acme;
}
