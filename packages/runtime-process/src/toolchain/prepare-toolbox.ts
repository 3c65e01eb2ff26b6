import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SYSTEM_PROGRAM_FOLDERS } from '@berth/runtime/drivers';
import type { SandboxParts } from '../bubblewrap/system-view.ts';
import { isInside } from '../host/is-inside.ts';
import { makeFolder } from '../host/make-folder.ts';
import { canReach } from '../identity/can-reach.ts';
import { provideNode, provideNpm } from './provide-programs.ts';
import { findManagedFolders, findToolFolders, usableProgramFolders } from './tool-folders.ts';

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

/** The folder of Go's installer, which doesn't add it to PATH (go.dev/doc/install). */
const EXTRA_FOLDERS = ['/usr/local/go/bin'] as const;

/** Finds the programs that tenants can use, and provides the platform's own Node and npm in `<work root>/toolchain`. */
export async function prepareToolbox(options: ToolboxOptions) {
  const { workRoot, homeFolder, nodePath, hidden, sandbox, hasUsers } = options;
  const folder = join(workRoot, 'toolchain');
  const toolFolders = findToolFolders(options);
  const shown = [...(sandbox?.view.folders ?? []), ...toolFolders];
  const isVisible = (path: string): boolean => {
    if (isInside(path, folder)) return true;
    if (!sandbox) return hasUsers ? canReach(path, undefined) : existsSync(path);
    return shown.some((above) => isInside(path, above)) && !hidden.some((secret) => isInside(path, secret));
  };
  const canShow = sandbox !== undefined;
  await makeFolder(folder, 0o755);
  await provideNode(folder, nodePath, isVisible);
  const { rust, python } = findManagedFolders(homeFolder);
  const programFolders = [...rust, ...options.programFolders, ...SYSTEM_PROGRAM_FOLDERS, ...EXTRA_FOLDERS, ...python];
  const npmFolder = await provideNpm({ folder, nodePath, programFolders, isVisible, canShow });
  return {
    /** The folders of the tenants' PATH. The platform's Node and npm come first. */
    programFolders: [join(folder, 'bin'), ...usableProgramFolders(programFolders, toolFolders, isVisible)],
    /** Folders that a sandbox shows besides the system. */
    shownFolders: canShow ? [...toolFolders, folder, ...(npmFolder === undefined ? [] : [npmFolder])] : [],
    /** Returns whether tenants' programs can see and run the file at a path. */
    isVisible,
  };
}
