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

/** What the runtime can't do without a sandbox. */
export function findRuntimeSkips({ machine }: Level): readonly ContractSkip[] {
  const { isSandboxed, networks } = machine.confinement;
  const noSandbox = {
    reason: 'without a sandbox a volume is not mounted, so nothing makes it read-only',
    tests: ['a read-only volume cannot be written'],
  };
  const noNetworks = {
    reason: 'without networks of their own, ports of instances cannot be told apart',
    tests: [
      'connects to a port of an instance, and ends each direction by itself',
      'connects to the loopback of an instance',
      'a connection ends with its instance, and with its client',
      'reaches no port of this machine, of another instance or of another owner',
    ],
  };
  return [...(isSandboxed ? [] : [noSandbox]), ...(networks.isIsolated ? [] : [noNetworks])];
}

/** What the command sandbox can't do when all that tells programs from the server is missing. */
export function findSandboxSkips({ machine }: Level): readonly ContractSkip[] {
  if (machine.confinement.isSandboxed || machine.confinement.hasUsers) return [];
  return [
    {
      reason: "commands run as the server's own user, who may write all that it may",
      tests: [
        'a readable folder can be read and not written',
        'a sealed folder can be read by its owner, hidden files and programs too, and not changed',
      ],
    },
  ];
}
