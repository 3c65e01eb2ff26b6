import type { CommandGroup } from '../../command/command.ts';
import { domainAdd } from './add.ts';
import { domainLs } from './ls.ts';
import { domainRm } from './rm.ts';
import { domainVerify } from './verify.ts';

/** `berth domain`. */
export const domain: CommandGroup = {
  name: 'domain',
  summary: 'Domains of your own for a deployment',
  commands: [domainAdd, domainVerify, domainLs, domainRm],
};
