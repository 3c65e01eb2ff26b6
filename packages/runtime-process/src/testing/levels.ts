import type { ContractSkip } from '@berth/runtime/contract';
import { createMachine, type Machine } from './machine.ts';

/** One way to confine programs, of those that this machine and this user have. */
export interface Level {
  readonly name: string;
  readonly machine: Machine;
}

/** What can be tried here. Without bubblewrap both are the same, and one is enough. */
export async function createLevels(): Promise<readonly Level[]> {
  const machines = [await createMachine()];
  if (machines[0]?.confinement.isSandboxed) machines.push(await createMachine({ isolation: 'none' }));
  return machines.map((machine) => {
    const { isSandboxed, hasUsers } = machine.confinement;
    const name = `${isSandboxed ? 'bubblewrap' : 'no sandbox'}, ${hasUsers ? 'a user for each owner' : 'one user for all'}`;
    return { name, machine };
  });
}

/** What a machine can't do without a sandbox. */
export const UNSANDBOXED_SKIPS: readonly ContractSkip[] = [
  {
    reason: 'without a sandbox a volume is a symlink, which has no mode of its own',
    tests: ['a read-only volume can not be written'],
  },
];
