import type { SecureContext, TLSSocketOptions } from 'node:tls';
import { createError } from '@berth/contract/errors';
import { type Clock, createLimiter, type Logger, runInBackground, type Timer } from '@berth/kit';
import { type Certificate, MIN_TLS_VERSION } from './certificate.ts';
import { type CertificatePaths, openCertificateFile } from './certificate-file.ts';
import { type CertificateFolder, type NewCertificate, openCertificateFolder } from './certificate-folder.ts';
import { type CertificateIndex, createCertificateIndex } from './choose-certificate.ts';
import { createExpiryWarnings } from './validity.ts';

/** The public data of a certificate, without its key. */
export interface CertificateInfo {
  readonly names: readonly string[];
  readonly issuer: string;
  /** SHA-256 fingerprint of the leaf, in hex with colons. */
  readonly fingerprint: string;
  /** Start of validity; epoch milliseconds, wall clock. */
  readonly notBeforeMs: number;
  /** End of validity; epoch milliseconds, wall clock. */
  readonly notAfterMs: number;
  /** The certificate's entry in Berth's folder; absent for the operator's files. */
  readonly stored?: { readonly name: string; readonly source: string };
}

/** The part of a TLS server that sets the certificate for clients that send no server name. */
export interface TlsServer {
  setSecureContext(options: { cert?: string; key?: string; minVersion?: typeof MIN_TLS_VERSION }): void;
}

/** TLS options for `https.createServer` and `http2.createSecureServer`. */
export type CertificateTlsOptions = Required<Pick<TLSSocketOptions, 'SNICallback' | 'ALPNProtocols'>> & {
  readonly minVersion: typeof MIN_TLS_VERSION;
};

/**
 * The certificates of all host names. A change applies to later handshakes; open connections keep their certificate.
 */
export interface Certificates {
  /** TLS options that select a certificate per client. */
  readonly tlsOptions: CertificateTlsOptions;
  /**
   * Returns the TLS context for a client that requests `serverName`: of the certificate with that name, else of a
   * matching wildcard certificate, else of the default. Undefined if there is no default; the handshake then fails.
   */
  secureContext(serverName: string | undefined): SecureContext | undefined;
  /**
   * Sets the default certificate of `server`, for clients that send no server name, now and after each change. Returns
   * a function that detaches the server.
   */
  attach(server: TlsServer): () => void;
  /** Returns the certificate that matches `serverName`; never falls back to the default. */
  find(serverName: string): CertificateInfo | undefined;
  /** Returns all certificates. */
  list(): readonly CertificateInfo[];
  /** Reloads the files and the folder now, as on SIGHUP, and logs problems. Both are also polled every ten seconds. */
  reload(): Promise<void>;
  /**
   * Stores a certificate in the folder; it is served when this resolves.
   * @throws `invalid` if the certificate is unusable or not for that name; `unavailable` without a folder.
   */
  add(certificate: NewCertificate): Promise<void>;
  /** Deletes a stored certificate. */
  remove(name: string): Promise<void>;
  /** Stops polling. Idempotent. */
  close(): void;
}

/** Options of {@link createCertificates}. */
export interface CertificatesOptions {
  /**
   * The operator's certificates; the first is the default. While valid, these take precedence over stored ones of the
   * same name.
   */
  readonly files: readonly CertificatePaths[];
  /** Folder for certificates added with {@link Certificates.add}; created if missing. */
  readonly folder?: string;
  /**
   * Without files, the certificate of this name is the default, so that clients that send no name don't learn a
   * tenant's name.
   */
  readonly defaultName?: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Files are polled, because file notifications miss changes behind symbolic links, mounted volumes and network file
 * systems.
 */
const POLL_MS = 10_000;

type Entry = Certificate & { readonly stored?: { readonly name: string; readonly source: string } };

/**
 * Opens all certificates and starts polling for changes. @throws `invalid` if one of the operator's files is unusable.
 */
export async function createCertificates(options: CertificatesOptions): Promise<Certificates> {
  const { clock, logger, defaultName } = options;
  const files = await Promise.all(options.files.map((paths) => openCertificateFile(paths, logger)));
  const kept = options.folder === undefined ? undefined : await openCertificateFolder(options.folder, clock, logger);
  const warnings = createExpiryWarnings(clock, logger);
  const queue = createLimiter({ concurrency: 1 });
  const servers = new Set<TlsServer>();
  let entries: readonly Entry[] = [];
  let index: CertificateIndex<Entry>;
  let timer: Timer | undefined;
  let isClosed = false;

  const defaultEntry = () => {
    if (files.length > 0) return entries[0];
    return defaultName === undefined ? undefined : index.find(defaultName, clock.nowMs());
  };
  const giveDefault = (server: TlsServer) => {
    const entry = defaultEntry();
    if (entry) server.setSecureContext({ cert: entry.certPem, key: entry.keyPem, minVersion: MIN_TLS_VERSION });
  };
  const rebuild = () => {
    entries = [...files.map((file) => file.current), ...storedEntries(kept)];
    index = createCertificateIndex(entries);
    warnings.check(entries);
    for (const server of servers) giveDefault(server);
  };
  const reload = () =>
    queue.run(async () => {
      const changes = await Promise.all([...files, ...(kept ? [kept] : [])].map((source) => source.reload()));
      if (changes.includes(true)) rebuild();
      else warnings.check(entries);
    });
  const poll = () => {
    timer = clock.setTimer(POLL_MS, () => runInBackground('certificate reload', reload().finally(poll), logger));
    if (isClosed) timer.cancel();
  };
  const folder = (): CertificateFolder => {
    if (kept) return kept;
    throw createError('unavailable', 'There is no certificate folder.');
  };
  const secureContext = (serverName: string | undefined) =>
    ((serverName === undefined ? undefined : index.find(serverName, clock.nowMs())) ?? defaultEntry())?.context;

  rebuild();
  poll();
  return {
    tlsOptions: {
      SNICallback: (serverName, callback) => callback(null, secureContext(serverName)),
      ALPNProtocols: ['h2', 'http/1.1'],
      minVersion: MIN_TLS_VERSION,
    },
    secureContext,
    attach(server) {
      servers.add(server);
      giveDefault(server);
      return () => void servers.delete(server);
    },
    find: (serverName) => {
      const entry = index.find(serverName, clock.nowMs());
      return entry && toInfo(entry);
    },
    list: () => entries.map(toInfo),
    reload,
    add: (certificate) =>
      queue.run(async () => {
        await folder().add(certificate);
        rebuild();
      }),
    remove: (name) =>
      queue.run(async () => {
        await folder().remove(name);
        rebuild();
      }),
    close() {
      isClosed = true;
      timer?.cancel();
      servers.clear();
    },
  };
}

function storedEntries(folder: CertificateFolder | undefined): Entry[] {
  return [...(folder?.certificates.values() ?? [])].map(({ name, source, ...certificate }) => ({
    ...certificate,
    stored: { name, source },
  }));
}

function toInfo({ names, issuer, fingerprint, notBeforeMs, notAfterMs, stored }: Entry): CertificateInfo {
  return { names, issuer, fingerprint, notBeforeMs, notAfterMs, ...(stored ? { stored } : {}) };
}
