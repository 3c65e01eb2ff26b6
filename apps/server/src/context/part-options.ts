import type { Clock, IdSource, Logger } from '@berth/kit';
import type { Config } from '../config/read-config.ts';
import type { Shutdown } from './shutdown.ts';

/** Options of each part of the platform. */
export interface PartOptions {
  readonly config: Config;
  readonly version: string;
  /** The server's environment; only variables for registries are read from it (`build-environment.ts`). */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
  /** Each part adds a step that closes it. */
  readonly shutdown: Shutdown;
}
