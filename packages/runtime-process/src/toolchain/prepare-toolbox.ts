import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxParts } from '../bubblewrap/sandbox-parts.ts';
import { isInside } from '../host/is-inside.ts';
import { canReach } from '../identity/can-reach.ts';
import { createToolchain } from './create-toolchain.ts';
import { findManagedFolders, findToolFolders } from './tool-folders.ts';

/** The programs of tenants, and where they may be. */
export interface Toolbox {
  /** PATH of tenants, parted. */
  readonly programFolders: readonly string[];
  /** What a sandbox shows besides the system. */
  readonly shownFolders: readonly string[];
  /** Whether tenants' programs can see and run what is at a path. */
  readonly isVisible: (path: string) => boolean;
}

export interface ToolboxOptions {
  readonly workRoot: string;
  readonly homeFolder: string;
  readonly nodePath: string;
  /** The server's PATH, parted. */
  readonly programFolders: readonly string[];
  readonly hidden: readonly string[];
  readonly sandbox: SandboxParts | undefined;
  /** Tenants are other users than this server's. */
  readonly hasUsers: boolean;
}

export async function prepareToolbox(options: ToolboxOptions): Promise<Toolbox> {
  const { workRoot, homeFolder, nodePath, programFolders, hidden, sandbox, hasUsers } = options;
  const folder = join(workRoot, 'toolchain');
  const toolFolders = findToolFolders({ homeFolder, programFolders, hidden });
  const shown = [...(sandbox?.view.folders ?? []), ...toolFolders];
  const isVisible = (path: string): boolean => {
    if (isInside(path, folder)) return true;
    if (!sandbox) return hasUsers ? canReach(path, undefined) : existsSync(path);
    return shown.some((above) => isInside(path, above)) && !hidden.some((secret) => isInside(path, secret));
  };
  const canShow = sandbox !== undefined;
  const toolchain = await createToolchain({
    ...{ folder, nodePath, programFolders, toolFolders, isVisible, canShow },
    managedFolders: findManagedFolders(homeFolder),
  });
  return {
    programFolders: toolchain.programFolders,
    shownFolders: canShow ? [...toolFolders, ...toolchain.shownFolders] : [],
    isVisible,
  };
}
