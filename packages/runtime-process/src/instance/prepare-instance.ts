import { createError } from '@berth/contract';
import type { Clock, Logger } from '@berth/kit';
import { expandCommand, type FolderArtifact, type InstanceSpec, type Standby, type StandbyPlan } from '@berth/runtime';
import type { HostMount } from '@berth/runtime/files';
import type { Confinement } from '../confinement/confinement.ts';
import type { Identity } from '../identity/can-reach.ts';
import { baseEnvironment } from '../launch/base-environment.ts';
import type { LaunchSpec, PreparedLaunch } from '../launch/launch-spec.ts';
import { resolveProgram } from '../launch/resolve-program.ts';
import type { ProgramNetwork } from '../network/networks.ts';
import type { Mounts, PlacedMounts } from './mounts.ts';
import type { Slot, Slots } from './slots.ts';
import { translateStartError } from './translate-start-error.ts';

/** The parts and limits that all instances of a runtime share. */
export interface InstanceParts {
  readonly confinement: Confinement;
  readonly slots: Slots;
  readonly mounts: Mounts;
  readonly maxProcesses: number;
  readonly diskBytes: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The spec of an instance on this machine. */
export interface HostSpec extends Omit<InstanceSpec, 'mounts'> {
  readonly mounts: readonly HostMount[];
}

/** The part of an instance's spec that its preparation depends on. */
export type InstancePlan = Pick<HostSpec, 'env' | 'port' | 'memoryBytes' | 'cpuMillis' | 'mounts'> & {
  readonly artifact: FolderArtifact;
  readonly identity: Identity | undefined;
};

/** The plan of a standby. */
export interface PreparedPlan extends StandbyPlan {
  readonly identity: Identity | undefined;
}

/** An instance that is ready to start. */
export interface PreparedInstance extends PreparedPlan, Standby {
  readonly slot: Slot;
  readonly network: ProgramNetwork;
  readonly launch: PreparedLaunch;
  readonly launchSpec: LaunchSpec;
  /** Frees the network and the folder, after the program has ended. */
  release(): Promise<void>;
}

/** Returns the {@link Standby.key} of a plan. */
export function planKey(
  { env, port, memoryBytes, cpuMillis, mounts, artifact }: InstancePlan,
  { confinement }: InstanceParts,
): string {
  return JSON.stringify([env, port, memoryBytes, cpuMillis, mounts, artifact, confinement.systemState()]);
}

/**
 * Does all of a start that can be done in advance: files, port, volumes, sandbox.
 * @throws BerthError `start_failed` or `out_of_capacity`, after freeing everything.
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
    // The network is freed last: the address must not be reused while anything of the instance remains.
    await network?.release();
  };
  try {
    slot = await slots.make(artifact, identity);
    network = await confinement.networks.take(plan.port);
    const placed = await mounts.place(plan.mounts, artifact.path, identity);
    const launchSpec = createLaunchSpec(plan, parts, slot, network, placed);
    const launch = confinement.prepare(launchSpec);
    const takenNetwork = network;
    return {
      artifact: artifact.path,
      identity,
      key,
      slot,
      network,
      launch,
      launchSpec,
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

/** Without a sandbox a program on a busy machine may run before it can be held back, so that it is tried again. */
const HOLD_TRIES = 10;

/** Prepares an instance to be kept as a standby. Returns undefined when its program can't be held back. Throws as {@link prepareInstance}. */
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
  const env: Record<string, string> = {
    ...baseEnvironment(slot.folder, confinement),
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
