import type { Clock, IdSource, Logger } from '@berth/kit';
import type { Config } from '../config/read-config.ts';
import type { Shutdown } from './shutdown.ts';

/** What every part of the platform is opened with. */
export interface PartOptions {
  readonly config: Config;
  readonly version: string;
  /** The server's own environment; only what builds need of the network is read from it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
  /** Each part adds how it is closed. */
  readonly shutdown: Shutdown;
}
