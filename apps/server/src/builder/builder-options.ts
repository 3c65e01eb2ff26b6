import type { Clock, Logger } from '@berth/kit';
import type { Config } from '../config/read-config.ts';
import type { Machine } from '../machine/machine.ts';

/** Options of {@link openBuilder}. */
export interface OpenBuilderOptions extends Pick<Machine, 'builds' | 'workRoot'> {
  readonly config: Config;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly logger: Logger;
}
