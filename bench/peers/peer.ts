import type { Address } from '../find-instance.ts';

/** How a proxy is set up to do as little as Berth's job allows: one core, kept connections, and a log with an entry of the same fields for each request. */
export interface PeerRecipe {
  readonly name: string;
  /** The program, and the words that make it print its version. */
  readonly program: string;
  readonly versionWords: readonly string[];
  /** Its whole configuration: listens on `port` of 127.0.0.1, forwards to `upstream`. */
  config(ports: PeerPorts & { readonly folder: string }): string;
  /** The words that start it in the foreground with the configuration in `file`. */
  startWords(file: string, folder: string): readonly string[];
}

export interface PeerPorts {
  readonly port: number;
  readonly upstream: Address;
}

/** A proxy that runs. */
export interface Peer {
  readonly name: string;
  readonly version: string;
  readonly port: number;
  /** It and its workers, as they are now. */
  readonly pids: readonly number[];
}
