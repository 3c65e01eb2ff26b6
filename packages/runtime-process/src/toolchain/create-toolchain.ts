import { join } from 'node:path';
import { SYSTEM_PROGRAM_FOLDERS } from '../host/find-executable.ts';
import { makeFolder } from '../host/make-folder.ts';
import { provideNode } from './provide-node.ts';
import { provideNpm } from './provide-npm.ts';
import { type ManagedFolders, usableProgramFolders } from './tool-folders.ts';

/** The programs that services and builds can use. */
export interface Toolchain {
  /** The folders of their PATH. The platform's Node and npm come first. */
  readonly programFolders: readonly string[];
  /** Further folders that a sandbox must show for that. */
  readonly shownFolders: readonly string[];
}

/** Options of {@link createToolchain}. */
export interface ToolchainOptions {
  /** The toolchain's folder, created when missing. */
  readonly folder: string;
  readonly nodePath: string;
  /** The folders of the server's PATH. */
  readonly programFolders: readonly string[];
  /** Toolchains outside of the system's folders; see `findToolFolders`. */
  readonly toolFolders: readonly string[];
  readonly managedFolders: ManagedFolders;
  /** Returns whether services can see and run the file at a path. */
  readonly isVisible: (path: string) => boolean;
  /** A sandbox can be made to show any folder. */
  readonly canShow: boolean;
}

/** The folder of Go's installer, which doesn't add it to PATH (go.dev/doc/install). */
const EXTRA_FOLDERS = ['/usr/local/go/bin'] as const;

/** Provides Node and npm in the toolchain's folder, and chooses the PATH of tenants' programs. */
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
