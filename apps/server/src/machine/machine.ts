import type { CommandSandbox, Runtime } from '@berth/runtime';

/** What runs services and builds on this machine. */
export interface Machine {
  readonly runtime: Runtime;
  readonly builds: FolderBuilds | ImageBuilds;
  /** Host folder for all that tenants' programs have to see: archives, artifacts, caches, volumes. */
  readonly workRoot: string;
}

/** Builds are commands in a sandbox, and make folders. */
export interface FolderBuilds {
  readonly kind: 'folders';
  readonly sandbox: CommandSandbox;
}

/** Builds run on a container engine and make images. Plain data: any process of the platform can open the engine. */
export interface ImageBuilds {
  readonly kind: 'images';
  readonly engineAddress: string;
  readonly serverId: string;
}
