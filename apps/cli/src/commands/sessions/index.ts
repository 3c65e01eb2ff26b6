import type { CommandGroup } from '../../command/command.ts';
import { sessionsEnd } from './end.ts';
import { sessionsLs } from './ls.ts';

/** `berth sessions`. */
export const sessions: CommandGroup = {
  name: 'sessions',
  summary: 'Where you are signed in',
  commands: [sessionsLs, sessionsEnd],
};
