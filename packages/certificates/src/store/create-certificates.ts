import type { SecureContext, TLSSocketOptions } from 'node:tls';
import { createError } from '@berth/contract/errors';
import { type Clock, createLimiter, type Logger, runInBackground, type Timer } from '@berth/kit';
import { type Certificate, MIN_TLS_VERSION } from './certificate.ts';
import { type CertificatePaths, openCertificateFile } from './certificate-file.ts';
import { type CertificateFolder, type NewCertificate, openCertificateFolder } from './certificate-folder.ts';
import { type CertificateIndex, createCertificateIndex } from './choose-certificate.ts';
import { createExpiryWarnings } from './expiry-warnings.ts';

/** A certificate as others see it: without its key. */
export interface CertificateInfo {
  readonly names: readonly string[];
  readonly issuer: string;
  /** SHA-256 of the leaf, in hex with colons. */
  readonly fingerprint: string;
  /** Epoch milliseconds, wall clock. */
  readonly notBeforeMs: number;
  /** Epoch milliseconds, wall clock. */
  readonly notAfterMs: number;
  /** Absent: it lies in the operator's files. */
  readonly stored?: { readonly name: string; readonly source: string };
}

/** The part of a TLS server that is needed to give it a certificate for clients that send no name. */
export interface TlsServer {
  setSecureContext(options: { cert?: string; key?: string; minVersion?: typeof MIN_TLS_VERSION }): void;
}

/** Options of `https.createServer` and `http2.createSecureServer`. */
export type CertificateTlsOptions = Required<Pick<TLSSocketOptions, 'SNICallback' | 'ALPNProtocols'>> & {
  readonly minVersion: typeof MIN_TLS_VERSION;
};

/**
 * The certificates of all host names. A change holds for the handshakes after it; connections go on with what they have.
 */
export interface Certificates {
  readonly tlsOptions: CertificateTlsOptions;
  /**
   * What a client that asks for `serverName` is shown: the certificate of that name, else one with a wildcard, else the
   * default. Undefined when there is none at all: the handshake fails.
   */
  secureContext(serverName: string | undefined): SecureContext | undefined;
  /** Gives `server` the default certificate, now and after each change, for clients that send no name. Returns the end of that. */
  attach(server: TlsServer): () => void;
  /** The certificate that is good for `serverName`; never the default. */
  find(serverName: string): CertificateInfo | undefined;
  list(): readonly CertificateInfo[];
  /** Looks at the files and at the folder now, as on SIGHUP; problems are logged. They are looked at every ten seconds anyway. */
  reload(): Promise<void>;
  /**
   * Keeps a certificate in the folder; it serves when this resolves.
   * @throws `invalid` when it can't be used or is not for that name; `unavailable` without a folder.
   */
  add(certificate: NewCertificate): Promise<void>;
  /** Forgets a kept certificate. */
  remove(name: string): Promise<void>;
  /** Stops looking at files. Idempotent. */
  close(): void;
}

/** What the certificates are made of. */
export interface CertificatesOptions {
  /** The operator's own; the first is the default. Preferred over kept ones of the same name while they are valid. */
  readonly files: readonly CertificatePaths[];
  /** Where {@link Certificates.add} keeps them; made when missing. */
  readonly folder?: string;
  /** Without files the default is the certificate of this name, so that no tenant's name is told to strangers. */
  readonly defaultName?: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Polled, because notifications don't see through symbolic links, mounted volumes or network file systems. */
const POLL_MS = 10_000;

type Entry = Certificate & { readonly stored?: { readonly name: string; readonly source: string } };

/** @throws `invalid` when a file can't be used: at the start that is told, not served around. */
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
    throw createError('unavailable', 'There is no folder to keep certificates in.');
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
