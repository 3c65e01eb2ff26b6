import type { ConfigurationName } from '../stage/configurations.ts';
import type { Stage } from '../stage/open-stage.ts';

/** One attempt over the API, with an attacker's keys. */
export interface OutsideAttempt {
  /** `area.what`. */
  readonly id: string;
  /** Completes "The attacker …". */
  readonly tries: string;
  /** Where it makes sense; everywhere unless given. */
  readonly in?: readonly ConfigurationName[];
  /** Evidence that it got through. */
  readonly act: (stage: Stage) => Promise<string | undefined>;
  /** The same on something allowed; it must get through. Made once for all attempts that share it. */
  readonly control: (stage: Stage) => Promise<string | undefined>;
}

/** All configurations of the process runtime. */
export const ON_PROCESSES: readonly ConfigurationName[] = [
  'root+bubblewrap',
  'plain-user+bubblewrap',
  'root-without-bubblewrap',
];
