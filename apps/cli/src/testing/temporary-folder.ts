import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A folder that is gone at the end of its scope. */
export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
  /** Writes files; their folders are made. */
  write(files: Readonly<Record<string, string | Buffer>>): Promise<void>;
  link(path: string, target: string): Promise<void>;
  mode(path: string, mode: number): Promise<void>;
}

/** Creates a {@link TemporaryFolder}. */
export async function createTemporaryFolder(): Promise<TemporaryFolder> {
  const folder = await mkdtemp(path.join(tmpdir(), 'berth-cli-'));
  const at = async (file: string) => {
    const absolute = path.join(folder, file);
    await mkdir(path.dirname(absolute), { recursive: true });
    return absolute;
  };
  return {
    path: folder,
    async write(files) {
      for (const [file, content] of Object.entries(files)) await writeFile(await at(file), content);
    },
    link: async (file, target) => symlink(target, await at(file)),
    mode: async (file, mode) => chmod(await at(file), mode),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
