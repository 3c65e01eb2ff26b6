import type { CommandSandbox, Runtime } from '@berth/runtime';

/** The runtime of this machine and its kind of builds. */
export interface Machine {
  readonly runtime: Runtime;
  readonly builds: FolderBuilds | ImageBuilds | ClusterBuilds;
  /** Where Git runs on tenants' data; absent where nothing can be run safely. */
  readonly git?: CommandPlace;
  /** True when all servers start services on the same machines, so that their gateways share the services. */
  readonly isShared?: boolean;
  /** Host folder of everything that tenants' programs may see: archives, artifacts, caches, volumes. */
  readonly workRoot: string;
}

/** A sandbox, and the folder that holds what its commands may see. */
export interface CommandPlace {
  readonly sandbox: CommandSandbox;
  readonly workRoot: string;
}

/** Builds that run commands in a sandbox and produce folders. */
export interface FolderBuilds {
  readonly kind: 'folders';
  readonly sandbox: CommandSandbox;
}

/** Builds that run in Pods of a cluster and push images to a registry. */
export interface ClusterBuilds {
  readonly kind: 'cluster';
}

/** Builds that run on a container engine and produce images. Plain data, so that any process of the platform can connect to the engine. */
export interface ImageBuilds {
  readonly kind: 'images';
  readonly engineAddress: string;
  readonly serverId: string;
}
