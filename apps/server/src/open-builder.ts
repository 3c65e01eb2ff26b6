import path from 'node:path';
import { type Builder, createFolderBuilder } from '@berth/builder';
import type { Clock, Logger } from '@berth/kit';
import { buildEnvironment } from './build-environment.ts';
import type { Config } from './config/read-config.ts';
import type { Machine } from './open-machine.ts';

export interface OpenBuilderOptions extends Pick<Machine, 'sandbox' | 'workRoot'> {
  readonly config: Config;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Makes the builder whose commands run in the machine's sandbox. */
export function openBuilder({ config, environment, sandbox, workRoot, clock, logger }: OpenBuilderOptions): Builder {
  return createFolderBuilder({
    ...{ sandbox, clock, logger },
    archiveFolder: path.join(workRoot, 'archives'),
    artifactFolder: path.join(workRoot, 'artifacts'),
    cacheFolder: path.join(workRoot, 'cache'),
    env: buildEnvironment(environment),
    limits: { timeoutMs: config.buildTimeoutSeconds * 1_000, parallelBuilds: config.parallelBuilds },
  });
}
