import { DEFAULT_URL } from '@berth/contract/limits';
import type { OptionSpec } from '../command/command.ts';

/** Options that every command has. */
export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  { flags: '--url <address>', description: `The Berth server (BERTH_URL; ${DEFAULT_URL} when none is known)` },
  { flags: '--key <key>', description: 'The API key (BERTH_API_KEY)' },
  { flags: '--json', description: 'Print JSON, one value a line, and nothing else' },
  { flags: '--quiet', description: 'Print the result and errors only; -q where that is free' },
  { flags: '--no-color', description: 'Print no colours (NO_COLOR)' },
];

/** The parsed {@link GLOBAL_OPTIONS}. */
export interface GlobalOptions {
  readonly url?: string;
  readonly key?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  /** False for `--no-color`. */
  readonly color?: boolean;
}
