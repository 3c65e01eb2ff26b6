import { LIMITS } from '@berth/contract';
import type { ListOptions, StoredObject, VolumeSize } from '@berth/object-store';
import { type FolderEntry, type FolderWindows, readEntries } from './folder-window.ts';
import { lstatOf } from './object-files.ts';
import { type OpenFolder, openFolder } from './open-folder.ts';
import { toStoredObject } from './stored-object.ts';

/** Files looked at together. */
const PARALLEL_FILES = 32;

interface WalkBounds {
  readonly prefix: Buffer;
  readonly after: Buffer | undefined;
}

/** A volume's objects in the order of the bytes of their paths, as many as are taken. */
export async function* walkObjects(
  volume: OpenFolder,
  { prefix = '', after }: Omit<ListOptions, 'limit'>,
  windows: FolderWindows,
): AsyncGenerator<StoredObject> {
  const bounds = { prefix: Buffer.from(prefix), after: after === undefined ? undefined : Buffer.from(after) };
  yield* walkFolder(volume, EMPTY, bounds, windows);
}

const EMPTY = Buffer.alloc(0);

/** @param base The folder's path with its final slash. */
async function* walkFolder(
  folder: OpenFolder,
  base: Buffer,
  bounds: WalkBounds,
  windows: FolderWindows,
): AsyncGenerator<StoredObject> {
  let floor = floorWithin(base, bounds);
  for (;;) {
    const { entries, isLast } = await windows.read(folder, floor);
    const wanted = entries.filter(({ key }) => isWanted(key, base, bounds));
    let files: FolderEntry[] = [];
    for (const entry of wanted) {
      if (!entry.isFolder) {
        files.push(entry);
        if (files.length < PARALLEL_FILES) continue;
      }
      yield* statFiles(folder, base, files);
      files = [];
      if (!entry.isFolder) continue;
      const inner = await openFolder(folder.at(entry.name));
      if (!inner) continue;
      await using open = inner;
      yield* walkFolder(open, Buffer.concat([base, entry.key]), bounds, windows);
    }
    yield* statFiles(folder, base, files);
    floor = entries.at(-1)?.key;
    // Past the prefix there is nothing left, however large the folder is.
    if (isLast || !floor || isPast(floor, base, bounds.prefix)) return;
  }
}

async function* statFiles(
  folder: OpenFolder,
  base: Buffer,
  files: readonly FolderEntry[],
): AsyncGenerator<StoredObject> {
  const all = await Promise.all(files.map(({ name }) => lstatOf(folder, name)));
  for (const [index, { key }] of files.entries()) {
    const stats = all[index];
    const path = Buffer.concat([base, key]);
    // What services name longer than an object's path may be can't be asked for.
    if (stats?.isFile() && path.length <= LIMITS.objectPathBytes) yield toStoredObject(path.toString(), stats);
  }
}

/**
 * The key after which a folder's entries are of interest, not included. The folder that `after` lies in is of interest
 * itself, so the floor is the name without its slash: a folder's key comes after that.
 */
function floorWithin(base: Buffer, { prefix, after }: WalkBounds): Buffer | undefined {
  const candidates = [startWithin(base, after), startWithin(base, prefix)].filter((one) => one !== undefined);
  return candidates.sort(Buffer.compare).at(-1);
}

function startWithin(base: Buffer, path: Buffer | undefined): Buffer | undefined {
  if (!path?.subarray(0, base.length).equals(base) || path.length === base.length) return undefined;
  const rest = path.subarray(base.length);
  const end = rest.indexOf('/');
  const name = end === -1 ? rest : rest.subarray(0, end);
  // One byte less than the name itself, whose own key is looked at by `isWanted`.
  return Buffer.concat([name.subarray(0, -1), Buffer.from([(name.at(-1) ?? 1) - 1])]);
}

function isWanted(key: Buffer, base: Buffer, { prefix, after }: WalkBounds): boolean {
  const path = Buffer.concat([base, key]);
  const isFolder = key.at(-1) === SLASH;
  const isPrefixed = startsWith(path, prefix) || (isFolder && startsWith(prefix, path));
  const isAfter = !after || Buffer.compare(path, after) > 0 || (isFolder && startsWith(after, path));
  return isPrefixed && isAfter;
}

const SLASH = 0x2f;

function isPast(key: Buffer, base: Buffer, prefix: Buffer): boolean {
  const path = Buffer.concat([base, key]);
  return !startsWith(path, prefix) && Buffer.compare(path, prefix) > 0;
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  return bytes.length >= start.length && bytes.subarray(0, start.length).equals(start);
}

/** Counts the files below a folder, in no order. @throws the signal's reason */
export async function measureFolder(
  folder: OpenFolder,
  signal: AbortSignal | undefined,
  baseBytes = 0,
): Promise<VolumeSize> {
  let sizeBytes = 0;
  let objectCount = 0;
  const folders: string[] = [];
  let files: string[] = [];
  const count = async () => {
    const names = files;
    files = [];
    for (const stats of await Promise.all(names.map((name) => lstatOf(folder, name)))) {
      if (!stats?.isFile()) continue;
      sizeBytes += Number(stats.size);
      objectCount++;
    }
  };
  for await (const { name, isFolder, key } of readEntries(folder)) {
    signal?.throwIfAborted();
    if (baseBytes + key.length > LIMITS.objectPathBytes) continue;
    if (isFolder) folders.push(name);
    else if (files.push(name) === PARALLEL_FILES) await count();
  }
  await count();
  for (const name of folders) {
    const inner = await openFolder(folder.at(name));
    if (!inner) continue;
    await using open = inner;
    const size = await measureFolder(open, signal, baseBytes + Buffer.byteLength(name) + 1);
    sizeBytes += size.sizeBytes;
    objectCount += size.objectCount;
  }
  return { sizeBytes, objectCount };
}
