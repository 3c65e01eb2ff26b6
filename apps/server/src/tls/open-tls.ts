import type { Certificates } from '@berth/certificates';
import type { Acme } from '@berth/certificates/acme';
import type { FrontServerOptions } from '@berth/gateway';
import type { Config } from '../config/read-config.ts';
import { bind } from '../listeners/listen.ts';
import { type AcmeState, certificatesInUse, openAcme } from './open-acme.ts';
import { createTlsServer, type OpenCertificatesOptions, openCertificates, tlsHost } from './open-certificates.ts';

/** The TLS side of the platform. */
export interface Tls {
  readonly acme: Acme | undefined;
  /** See {@link certificatesInUse}. */
  readonly certificates: Pick<Certificates, 'list'>;
  /** Returns true when there is a certificate for `host`. */
  hasCertificate(host: string): boolean;
  /** Reloads the certificate files now. */
  reload(): Promise<void>;
}

/** Options of {@link openTls}. */
export interface OpenTlsOptions extends OpenCertificatesOptions {
  readonly config: Config;
  /** The server's environment; see `openDnsChallenges`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly handlers: FrontServerOptions;
  readonly state: AcmeState;
}

/**
 * Opens the TLS port when certificates or an ACME directory are configured; undefined otherwise.
 * @throws BerthError `invalid` for an unusable certificate; `conflict` when the port is taken
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
  return {
    acme,
    certificates: certificatesInUse(certificates, acme),
    hasCertificate,
    reload: () => certificates.reload(),
  };
}
