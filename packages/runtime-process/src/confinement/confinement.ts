import type { MountPolicy } from '@berth/contract';
import type { Capability, Owner } from '@berth/runtime';
import type { CgroupFeatures } from '../cgroup/cgroup.ts';
import type { Identity } from '../identity/can-reach.ts';
import type { LaunchSpec, PreparedLaunch } from '../launch/launch-spec.ts';
import type { Networks } from '../network/networks.ts';

/**
 * The confinement of tenants' programs on this machine, probed once and shared by the runtime and the command sandbox.
 * Created by `createConfinement`; close it after both.
 */
export interface Confinement {
  /** The folder for everything that tenants' programs must see: artifacts, caches, builds. Absolute, without symlinks. */
  readonly workRoot: string;
  /** Programs see only the system and the files they are given. */
  readonly isSandboxed: boolean;
  /** The programs of each owner run as a separate user. */
  readonly hasUsers: boolean;
  readonly cgroups: CgroupFeatures;
  readonly networks: Networks;
  /** PATH of tenants' programs. */
  readonly programPath: string;
  /** The mount paths that volumes may have. */
  readonly mountPolicy: MountPolicy;
  /** Returns the owner's user, allocated on first use. Undefined when this server isn't root: programs then run as the server's user. */
  identityOf(owner: Owner): Promise<Identity | undefined>;
  /** Deletes the owner's user. */
  forget(owner: Owner): Promise<void>;
  /** Makes the private folder of a run under `<work root>/run` and returns its path. `name` must be unique. */
  createPrivateFolder(name: string, identity: Identity | undefined): Promise<string>;
  /** Returns a string that changes when sandboxes prepared earlier would show an outdated system. */
  systemState(): string;
  /** Announces a call of {@link prepare}, so that slow kernel work can begin early. */
  wake(): void;
  /**
   * Builds everything around a program, which `PreparedLaunch.start` then runs.
   * @throws BerthError `start_failed` when this machine can't run programs of tenants.
   * @throws the system's error.
   */
  prepare(spec: LaunchSpec): PreparedLaunch;
  /** As {@link CommandSandbox.findProgram}. */
  findProgram(name: string): Promise<string | undefined>;
  /** As {@link CommandSandbox.findVersion}. */
  findVersion(name: string): Promise<string | undefined>;
  /** Returns the protections of this machine, each enforced, partial or missing. */
  capabilities(): readonly Capability[];
  /** Frees all resources. All programs must have ended. Idempotent. */
  close(): Promise<void>;
}
