import { DEFAULT_URL } from '@berth/contract/limits';
import type { OptionsOf } from '../command/command.ts';

/** Options that every command has. */
export const GLOBAL_OPTIONS = {
  '--url <address>': `The Berth server (BERTH_URL; ${DEFAULT_URL} when none is known)`,
  '--key <key>': 'The API key (BERTH_API_KEY)',
  '--json': 'Print only JSON, one value per line',
  '--quiet': 'Print only the result and errors; -q where available',
  '--no-color': 'Disable colors (NO_COLOR)',
} as const;

/** The parsed {@link GLOBAL_OPTIONS}; `color` is false for `--no-color`. */
export type GlobalOptions = OptionsOf<typeof GLOBAL_OPTIONS>;
