import { join } from 'node:path';
import { SYSTEM_PROGRAM_FOLDERS } from '../host/find-executable.ts';
import { makeFolder } from '../host/make-folder.ts';
import { provideNode } from './provide-node.ts';
import { provideNpm } from './provide-npm.ts';
import { type ManagedFolders, usableProgramFolders } from './tool-folders.ts';

/** The programs that services and builds find. */
export interface Toolchain {
  /** Their PATH, parted: the platform's Node and npm come first. */
  readonly programFolders: readonly string[];
  /** What a sandbox has to show for that, besides what was visible already. */
  readonly shownFolders: readonly string[];
}

export interface ToolchainOptions {
  /** Holds the toolchain; made when missing. */
  readonly folder: string;
  readonly nodePath: string;
  /** The server's PATH, parted. */
  readonly programFolders: readonly string[];
  /** Of toolchains outside of the system's folders; see `findToolFolders`. */
  readonly toolFolders: readonly string[];
  readonly managedFolders: ManagedFolders;
  /** Whether services can run what is there. */
  readonly isVisible: (path: string) => boolean;
  readonly canShow: boolean;
}

/** Go's installer puts it there and nowhere on PATH (go.dev/doc/install). */
const EXTRA_FOLDERS = ['/usr/local/go/bin'] as const;

export async function createToolchain(options: ToolchainOptions): Promise<Toolchain> {
  const { folder, nodePath, programFolders, toolFolders, managedFolders, isVisible, canShow } = options;
  await makeFolder(folder, 0o755);
  await provideNode(folder, nodePath, isVisible);
  const { rust, python } = managedFolders;
  const everywhere = [...rust, ...programFolders, ...SYSTEM_PROGRAM_FOLDERS, ...EXTRA_FOLDERS, ...python];
  const npmFolder = await provideNpm({ folder, nodePath, programFolders: everywhere, isVisible, canShow });
  return {
    programFolders: [join(folder, 'bin'), ...usableProgramFolders(everywhere, toolFolders, isVisible)],
    shownFolders: [folder, ...(npmFolder === undefined ? [] : [npmFolder])],
  };
}
