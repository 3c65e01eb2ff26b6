import type { Readable, Writable } from 'node:stream';
import type { Client } from '@berth/client';
import type { Clock } from '@berth/kit';
import type { ConfigStore } from '../config/config-store.ts';
import type { Target } from '../config/resolve-target.ts';
import type { Output } from '../output/output.ts';
import type { Prompts } from './prompts.ts';

/** The machine's properties that commands use. */
export interface Machine {
  readonly nodeVersion: string;
  readonly platform: string;
  readonly hostName: string;
  /** Absolute path of this command line's program. */
  readonly programPath: string;
  /** Where temporary files go. */
  readonly temporaryFolder: string;
}

/** Everything a command may use. Commands read no globals. */
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
  /** Makes the next Ctrl-C call `handler` instead, until it is disposed. */
  onInterrupt(handler: () => void): Disposable;
  /** Returns the server and the credential for it, if one was found. */
  target(): Promise<Target>;
  /** Returns a client of the target. @throws BerthError `unauthenticated` without a credential */
  connect(): Promise<Client>;
  /** Returns a client of any server, with or without a credential. */
  clientOf(target: Pick<Target, 'baseUrl' | 'credential'>): Client;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Version of the command line. */
  readonly version: string;
  readonly userAgent: string;
  /** For results that aren't text. */
  readonly standardOutput: Writable;
  readonly standardError: Writable;
  readonly standardInput: Readable;
  /** All of standard input as text. */
  readInput(): Promise<string>;
  /** Packs the agent library into a folder and returns its path. @throws BerthError `unavailable` */
  packAgent(folder: string): Promise<string>;
  /** Opens a web address in the desktop's browser; returns false without a desktop. */
  openBrowser(url: string): Promise<boolean>;
}
