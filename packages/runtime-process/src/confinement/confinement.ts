import type { MountPolicy } from '@berth/contract';
import type { Capability, Owner } from '@berth/runtime';
import type { CgroupFeatures } from '../cgroup/cgroup.ts';
import type { Identity } from '../identity/identity.ts';
import type { LaunchSpec, PreparedLaunch } from '../launch/launch-spec.ts';
import type { Networks } from '../network/networks.ts';

/**
 * How this machine confines programs of tenants: found out once, shared by the runtime and the command sandbox.
 * Made by `createConfinement`, closed after both.
 */
export interface Confinement {
  /** The folder for all that tenants' programs have to see: artifacts, caches, builds. Absolute, without symlinks. */
  readonly workRoot: string;
  /** Programs see only what they are given. */
  readonly isSandboxed: boolean;
  /** Each owner's programs run as a user of their own. */
  readonly hasUsers: boolean;
  readonly cgroups: CgroupFeatures;
  readonly networks: Networks;
  /** PATH of tenants' programs. */
  readonly programPath: string;
  /** Where services may have volumes. */
  readonly mountPolicy: MountPolicy;
  /** Undefined where this server is not root: then programs run as its own user. */
  identityOf(owner: Owner): Promise<Identity | undefined>;
  forget(owner: Owner): Promise<void>;
  /** Makes the private folder of one run under `<work root>/run`; `name` is unique. Answers its path. */
  createPrivateFolder(name: string, identity: Identity | undefined): Promise<string>;
  /** Changes when a sandbox that was prepared before would show an outdated system. */
  systemState(): string;
  /** Says that {@link prepare} is near: what the kernel takes its time for can begin now. */
  wake(): void;
  /** @throws the system's error. */
  prepare(spec: LaunchSpec): PreparedLaunch;
  /** As {@link CommandSandbox.findProgram}. */
  findProgram(name: string): Promise<string | undefined>;
  /** As {@link CommandSandbox.findVersion}. */
  findVersion(name: string): Promise<string | undefined>;
  capabilities(): readonly Capability[];
  /** Idempotent. Nothing may run any more. */
  close(): Promise<void>;
}
