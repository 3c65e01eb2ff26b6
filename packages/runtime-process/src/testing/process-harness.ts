import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { CommandSandbox, FolderArtifact, Mount, Owner } from '@berth/runtime';
import type { CommandSandboxHarness, Program, RuntimeHarness } from '@berth/runtime/contract';
import type { Confinement } from '../confinement/confinement.ts';
import { createProcessRuntime, type ProcessRuntimeOptions } from '../create-process-runtime.ts';
import { createProcessSandbox } from '../create-process-sandbox.ts';
import { makeFolder } from '../host/make-folder.ts';
import { clock, logger, type Machine } from './machine.ts';

/** A process runtime and a command sandbox on a machine. Disposing closes the runtime; the machine stays. */
export interface ProcessHarness extends RuntimeHarness, CommandSandboxHarness {
  readonly confinement: Confinement;
  makeArtifact(program: Program, owner: Owner): Promise<FolderArtifact>;
  /** `source`: the volume's folder. */
  makeVolume(): Promise<Omit<Mount, 'isReadOnly'> & { readonly path: string; readonly source: string }>;
}

export async function createProcessHarness(
  { confinement }: Machine,
  options: Partial<ProcessRuntimeOptions> = {},
): Promise<ProcessHarness> {
  const shared = { confinement, clock, logger };
  const artifactFolder = join(confinement.workRoot, 'artifacts');
  const volumesFolder = join(confinement.workRoot, 'volumes');
  const sandbox = await createProcessSandbox(shared);
  const runtime = await createProcessRuntime({ ...shared, artifactFolder, volumesFolder, ...options });
  return {
    ...createFolders(confinement, sandbox),
    confinement,
    runtime,
    sandbox,
    [Symbol.asyncDispose]: () => runtime.close({ graceMs: 0 }),
  };
}

function createFolders(confinement: Confinement, sandbox: CommandSandbox) {
  const makeNew = async (kind: string): Promise<string> => {
    const above = join(confinement.workRoot, kind);
    await makeFolder(above, 0o711);
    const path = join(above, crypto.randomUUID());
    await mkdir(path);
    return path;
  };
  return {
    async makeArtifact({ files, command }: Program, owner: Owner): Promise<FolderArtifact> {
      const path = await makeNew('artifacts');
      for (const [name, content] of Object.entries(files)) {
        await mkdir(dirname(join(path, name)), { recursive: true });
        await writeFile(join(path, name), content);
      }
      await sandbox.seal(path, owner);
      return { kind: 'folder', path: basename(path), command, env: {}, sharedFolders: [] };
    },
    async makeVolume() {
      const target = `/volume-${crypto.randomUUID()}`;
      const source = await makeNew('volumes');
      return { volume: basename(source), subPath: '', source, target, path: confinement.isSandboxed ? target : source };
    },
    makeFolder: () => makeNew('builds'),
    readVolumeFile: (volume: string, name: string) =>
      readFile(join(confinement.workRoot, 'volumes', volume, name), 'utf8'),
  };
}
