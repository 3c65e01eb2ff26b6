import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxParts } from '../bubblewrap/sandbox-parts.ts';
import { isInside } from '../host/is-inside.ts';
import { canReach } from '../identity/can-reach.ts';
import { createToolchain } from './create-toolchain.ts';
import { findManagedFolders, findToolFolders } from './tool-folders.ts';

/** The programs that tenants can use, and the folders that they are in. */
export interface Toolbox {
  /** The folders of the tenants' PATH. */
  readonly programFolders: readonly string[];
  /** Folders that a sandbox shows besides the system. */
  readonly shownFolders: readonly string[];
  /** Returns whether tenants' programs can see and run the file at a path. */
  readonly isVisible: (path: string) => boolean;
}

/** Options of {@link prepareToolbox}. */
export interface ToolboxOptions {
  readonly workRoot: string;
  readonly homeFolder: string;
  readonly nodePath: string;
  /** The folders of the server's PATH. */
  readonly programFolders: readonly string[];
  readonly hidden: readonly string[];
  readonly sandbox: SandboxParts | undefined;
  /** Tenants' programs run as other users than the server. */
  readonly hasUsers: boolean;
}

/** Finds the toolchains of this machine and makes the platform's own in `<work root>/toolchain`. */
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
