import type { Address } from '../find-instance.ts';
import type { CertificateFiles } from './create-certificate.ts';

/** How a proxy is set up to do as little as Berth's job allows: one core, kept connections, and a log with an entry of the same fields for each request. */
export interface PeerRecipe {
  readonly name: string;
  /** The program, and the words that make it print its version. */
  readonly program: string;
  readonly versionWords: readonly string[];
  /** Where to get a proxy that Debian lacks. CI doesn't have such a proxy. */
  readonly howToGet?: string;
  /** Extension of its configuration file: `conf` unless said. */
  readonly extension?: string;
  /** Returns the content of its configuration file. */
  config(setup: PeerSetup): string;
  /** The words that start it in the foreground. */
  startWords(setup: PeerSetup): readonly string[];
}

/** What a proxy is configured with. */
export interface PeerSetup {
  /** Port of 127.0.0.1 that speaks HTTP/1.1. */
  readonly port: number;
  /** Port of 127.0.0.1 that speaks HTTP/2 and HTTP/1.1 over TLS. */
  readonly tlsPort: number;
  readonly upstream: Address;
  readonly certificate: CertificateFiles;
  /** A folder for its files. */
  readonly folder: string;
  /** Its configuration file. */
  readonly file: string;
}

/** A proxy that runs. */
export interface Peer {
  readonly name: string;
  readonly version: string;
  readonly port: number;
  readonly tlsPort: number;
  /** It and its workers, as they are now. */
  readonly pids: readonly number[];
}
