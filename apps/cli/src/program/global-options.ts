import { DEFAULT_URL } from '@berth/contract/limits';
import type { OptionsOf } from '../command/command.ts';

/** Options that every command has. */
export const GLOBAL_OPTIONS = {
  '--url <address>': `The Berth server (BERTH_URL; ${DEFAULT_URL} when none is known)`,
  '--key <key>': 'The API key (BERTH_API_KEY)',
  '--json': 'Print JSON, one value a line, and nothing else',
  '--quiet': 'Print the result and errors only; -q where that is free',
  '--no-color': 'Print no colors (NO_COLOR)',
} as const;

/** The parsed {@link GLOBAL_OPTIONS}; `color` is false for `--no-color`. */
export type GlobalOptions = OptionsOf<typeof GLOBAL_OPTIONS>;
