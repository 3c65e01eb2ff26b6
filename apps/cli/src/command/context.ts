import type { Readable, Writable } from 'node:stream';
import type { Client } from '@berth/client';
import type { Clock } from '@berth/kit';
import type { ConfigStore } from '../config/config-store.ts';
import type { Target } from '../config/resolve-target.ts';
import type { Output } from '../output/output.ts';
import type { Prompts } from './prompts.ts';

/** What the machine is, as far as a command may care. */
export interface Machine {
  readonly nodeVersion: string;
  readonly platform: string;
  readonly hostName: string;
  /** Where temporary files go. */
  readonly temporaryFolder: string;
}

/** Everything a command may touch; nothing is ambient. */
export interface Context {
  readonly output: Output;
  readonly prompts: Prompts;
  readonly clock: Clock;
  /** Absolute. */
  readonly workingFolder: string;
  readonly machine: Machine;
  readonly config: ConfigStore;
  /** Data folders that a server on this machine may have, the likeliest first. */
  readonly dataFolders: readonly string[];
  /** Aborts at Ctrl-C, with an {@link Interrupted}. */
  readonly signal: AbortSignal;
  /** Has the next Ctrl-C call `handler` instead, until it is disposed of. */
  onInterrupt(handler: () => void): Disposable;
  /** Which server is meant, and the credential for it, if any was found. */
  target(): Promise<Target>;
  /** A client of the target. @throws `unauthenticated` without a credential */
  connect(): Promise<Client>;
  /** A client of any server, with or without a credential. */
  clientOf(target: Pick<Target, 'baseUrl' | 'credential'>): Client;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly userAgent: string;
  /** For results that are no text. */
  readonly standardOutput: Writable;
  readonly standardInput: Readable;
  /** All of standard input as text. */
  readInput(): Promise<string>;
  /** Puts the packed agent library into a folder, and answers its path. @throws `unavailable` */
  packAgent(folder: string): Promise<string>;
  /** Shows a web address in the desktop's browser; false when there is no desktop. */
  openBrowser(url: string): Promise<boolean>;
}
