import type { Readable, Writable } from 'node:stream';
import type { Client } from '@berth/client';
import { createNodeClient } from '@berth/client/node';
import { BerthError, type Clock } from '@berth/kit';
import type { Context, Machine } from '../command/context.ts';
import type { Prompts } from '../command/prompts.ts';
import { createFileConfigStore } from '../config/file-config-store.ts';
import { findLocalKey } from '../config/find-local-key.ts';
import { resolveTarget, type Target } from '../config/resolve-target.ts';
import type { Output } from '../output/output.ts';
import type { GlobalOptions } from './global-options.ts';

/** The settings of the environment, read once by `main.ts`. */
export interface Settings {
  readonly url: string | undefined;
  readonly key: string | undefined;
  /** Data folders a server on this machine may have, the likeliest first. */
  readonly dataFolders: readonly string[];
  readonly configFile: string;
}

/** A slower renewal doesn't delay the command's end; the next command tries again. */
const RENEWAL_TIMEOUT_MS = 5_000;

/** The parts that {@link createContext} composes. */
export interface ContextParts {
  readonly settings: Settings;
  readonly globals: GlobalOptions;
  readonly output: Output;
  readonly prompts: Prompts;
  readonly clock: Clock;
  readonly workingFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly machine: Machine;
  readonly signal: AbortSignal;
  onInterrupt(handler: () => void): Disposable;
  readonly version: string;
  readonly standardOutput: Writable;
  readonly standardInput: Readable;
  readInput(): Promise<string>;
  openBrowser(url: string): Promise<boolean>;
  packAgent(folder: string): Promise<string>;
}

/** Creates the context of a command. The target is resolved once, when it is first needed. */
export function createContext({ settings, globals, version, ...parts }: ContextParts): Context {
  const config = createFileConfigStore(settings.configFile);
  const userAgent = `berth-cli/${version} node/${parts.machine.nodeVersion}`;
  let target: Promise<Target> | undefined;
  const findTarget = () => {
    target ??= config.read().then((stored) =>
      resolveTarget({
        flags: globals,
        environment: settings,
        config: stored,
        findLocalKey: () => findLocalKey(settings.dataFolders),
      }),
    );
    return target;
  };
  const clientOf = ({ baseUrl, credential }: Pick<Target, 'baseUrl' | 'credential'>): Client =>
    createNodeClient({
      baseUrl,
      credential,
      clock: parts.clock,
      signal: parts.signal,
      userAgent,
    });

  return {
    ...parts,
    config,
    dataFolders: settings.dataFolders,
    userAgent,
    target: findTarget,
    clientOf,
    connect: async () => {
      const found = await findTarget();
      if (!found.credential) {
        throw new BerthError({
          code: 'unauthenticated',
          status: 401,
          message: `No API key for ${found.baseUrl} is known.`,
        });
      }
      const client = clientOf(found);
      if ('bearer' in found.credential) {
        // A session in use is renewed in parallel with the command, which reports errors of the session itself.
        client.get('/v1/auth/get-session', { signal: AbortSignal.timeout(RENEWAL_TIMEOUT_MS) }).catch(() => {});
      }
      return client;
    },
  };
}
