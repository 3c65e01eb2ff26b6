import { createError } from '@berth/contract';
import type { Clock, Logger } from '@berth/kit';
import { expandCommand, type FolderArtifact, type InstanceSpec, type Standby, type StandbyPlan } from '@berth/runtime';
import type { Confinement } from '../confinement/confinement.ts';
import type { Identity } from '../identity/identity.ts';
import { baseEnvironment } from '../launch/base-environment.ts';
import type { LaunchSpec, PreparedLaunch } from '../launch/launch-spec.ts';
import { resolveProgram } from '../launch/resolve-program.ts';
import type { ProgramNetwork } from '../network/networks.ts';
import type { Mounts, PlacedMounts } from './mounts.ts';
import type { Slot, Slots } from './slots.ts';
import { translateStartError } from './translate-start-error.ts';

/** What all instances of a runtime are made with. */
export interface InstanceParts {
  readonly confinement: Confinement;
  readonly slots: Slots;
  readonly mounts: Mounts;
  readonly maxProcesses: number;
  readonly diskBytes: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What of a spec goes into the preparation; the rest belongs to one instance. */
export type InstancePlan = Pick<InstanceSpec, 'env' | 'port' | 'memoryBytes' | 'cpuMillis' | 'mounts'> & {
  readonly artifact: FolderArtifact;
  readonly identity: Identity | undefined;
};

/** What is prepared ahead of need. */
export interface PreparedPlan extends StandbyPlan {
  readonly identity: Identity | undefined;
}

/** An instance that only has to be let go. */
export interface PreparedInstance extends PreparedPlan, Standby {
  readonly slot: Slot;
  readonly network: ProgramNetwork;
  readonly launch: PreparedLaunch;
  /** Gives back what is not a process: network and folder. */
  release(): Promise<void>;
}

/** What {@link Standby.key} is for a plan. */
export function planKey(
  { env, port, memoryBytes, cpuMillis, mounts, artifact }: InstancePlan,
  { confinement }: InstanceParts,
): string {
  return JSON.stringify([env, port, memoryBytes, cpuMillis, mounts, artifact, confinement.systemState()]);
}

/**
 * Does all of a start that can be done before it: files, port, volumes, sandbox.
 * @throws BerthError `start_failed` or `out_of_capacity`; nothing is held then.
 */
export async function prepareInstance(plan: InstancePlan, parts: InstanceParts): Promise<PreparedInstance> {
  const { confinement, slots, mounts, logger } = parts;
  const { artifact, identity } = plan;
  const key = planKey(plan, parts);
  let slot: Slot | undefined;
  let network: ProgramNetwork | undefined;
  const release = async (): Promise<void> => {
    try {
      if (slot) await slots.discard(slot);
    } catch (error) {
      logger.warn({ folder: slot?.folder, error: String(error) }, 'a folder was left behind');
    }
    // Last: as long as something of the instance is there, nobody else gets its address.
    await network?.release();
  };
  try {
    slot = await slots.make(artifact, identity);
    network = await confinement.networks.take(plan.port);
    const placed = await mounts.place(plan.mounts, artifact.path, identity);
    const launch = confinement.prepare(createLaunchSpec(plan, parts, slot, network, placed));
    const takenNetwork = network;
    return {
      artifact: artifact.path,
      identity,
      key,
      slot,
      network,
      launch,
      release,
      isFresh: async () => !launch.isOver && (await takenNetwork.isFresh()) && (await placed.isCurrent()),
      async discard() {
        await launch.discard();
        await release();
      },
    };
  } catch (error) {
    await release();
    throw translateStartError(error);
  }
}

/** Without a sandbox, on a busy machine, a program may be past the point where it can be held. */
const HOLD_TRIES = 3;

/** As {@link prepareInstance}, to be kept: undefined when it can't be held back safely. */
export async function prepareStandby(plan: InstancePlan, parts: InstanceParts): Promise<PreparedInstance | undefined> {
  for (let left = HOLD_TRIES; left > 0; left--) {
    const prepared = await prepareInstance(plan, parts);
    if (await prepared.launch.isHeld.catch(() => false)) return prepared;
    await prepared.discard();
  }
  return undefined;
}

function createLaunchSpec(
  { artifact, identity, env: ownEnv, memoryBytes, cpuMillis, mounts }: InstancePlan,
  { confinement, maxProcesses }: InstanceParts,
  slot: Slot,
  network: ProgramNetwork,
  placed: PlacedMounts,
): LaunchSpec {
  const { programPath, isSandboxed } = confinement;
  const env: Record<string, string> = {
    ...baseEnvironment({ programPath, privateFolder: slot.folder, isSandboxed }),
    ...artifact.env,
    ...ownEnv,
    PORT: String(network.port),
  };
  const [name = '', ...args] = expandCommand(artifact.command, env);
  const { workingFolder } = slot;
  const program = resolveProgram({ name, programPath: env['PATH'] ?? '', workingFolder, identity });
  if (program.kind === 'missing') throw createError('start_failed', `${program.problem}.`);
  return {
    name: slot.name,
    identity,
    argv: [program.path, ...args],
    workingFolder,
    env,
    privateFolder: slot.folder,
    binds: [{ source: artifact.path, isReadOnly: true }, ...placed.binds],
    verified: placed.verified,
    network,
    limits: { memoryBytes, cpuMillis, processes: maxProcesses, isLowPriority: false },
    isSharing: mounts.length > 0,
  };
}
