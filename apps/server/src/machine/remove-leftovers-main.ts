/** `node remove-leftovers-main.ts` removes what killed servers left on this machine. `berth service uninstall` runs it. */
import { createSystemClock } from '@berth/kit';
import { removeLeftovers } from '@berth/runtime-process';

await removeLeftovers(createSystemClock());
