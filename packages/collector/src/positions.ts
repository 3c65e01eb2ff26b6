import { open, readFile, rename } from 'node:fs/promises';
import path from 'node:path';

/** The position in the log files of a container. */
export interface Position {
  /**
   * The first bytes of the file, which begin with a time in nanoseconds. Rotation renames and compresses files, and the file system uses inodes again.
   */
  readonly head: string;
  /** Bytes of the content that were read. */
  readonly offset: number;
}

/** Positions by the container's folder. */
export type Positions = Map<string, Position>;

/** Reads the saved positions; empty when the file doesn't exist or is damaged. */
export async function readPositions(file: string): Promise<Positions> {
  try {
    return new Map(Object.entries(JSON.parse(await readFile(file, 'utf8')) as Record<string, Position>));
  } catch {
    return new Map();
  }
}

/** Saves the positions. The file is replaced as a whole. */
export async function savePositions(file: string, positions: Positions): Promise<void> {
  const draft = path.join(path.dirname(file), `.${path.basename(file)}.new`);
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.writeFile(JSON.stringify(Object.fromEntries(positions)));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
}
