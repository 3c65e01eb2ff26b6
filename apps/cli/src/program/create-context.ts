import type { Client } from '@berth/client';
import { createNodeClient } from '@berth/client/node';
import { createError } from '@berth/contract/errors';
import type { Context } from '../command/context.ts';
import { createFileConfigStore } from '../config/config-store.ts';
import { findLocalKey, resolveTarget, type Target } from '../config/resolve-target.ts';
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

type OwnParts = 'config' | 'dataFolders' | 'userAgent' | 'target' | 'clientOf' | 'connect';

/** The parts that {@link createContext} composes. */
export interface ContextParts extends Omit<Context, OwnParts> {
  readonly settings: Settings;
  readonly globals: GlobalOptions;
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
    version,
    config,
    dataFolders: settings.dataFolders,
    userAgent,
    target: findTarget,
    clientOf,
    connect: async () => {
      const found = await findTarget();
      if (!found.credential) {
        throw createError('unauthenticated', `No API key for ${found.baseUrl}.`);
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
