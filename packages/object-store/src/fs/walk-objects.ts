import { lstatSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { LIMITS } from '@berth/contract';
import { isAbsence, type OpenFolder, openFolder } from '@berth/kit/node';
import type { ListOptions, StoredObject, VolumeSize } from '../object-store.ts';
import { type ByteString, join, toBytes, toText } from './byte-string.ts';
import type { FolderWindows } from './folder-window.ts';
import { toStoredObject } from './object-files.ts';
import { type FolderEntry, readEntries } from './read-entries.ts';

/** Files examined before other work gets a turn: some 0.2 ms when the inodes are in memory. */
const BATCH_FILES = 64;

interface WalkBounds {
  readonly prefix: ByteString;
  /** Start after this path; empty for the beginning. */
  readonly after: ByteString;
  /** Yield the path of a folder below the prefix instead of its objects. */
  readonly isFolder: boolean;
}

/** Yields a volume's objects in byte order of their paths; with `isFolder` those directly below the prefix, and the paths of folders. */
export async function* walkVolume(
  volume: OpenFolder,
  { prefix = '', after = '', isFolder }: Omit<ListOptions, 'limit'> & Pick<WalkBounds, 'isFolder'>,
  windows: FolderWindows,
): AsyncGenerator<StoredObject | string> {
  yield* walkFolder(volume, toBytes(''), { prefix: toBytes(prefix), after: toBytes(after), isFolder }, windows);
}

/** @param base The folder's path with its final slash. */
async function* walkFolder(
  folder: OpenFolder,
  base: ByteString,
  bounds: WalkBounds,
  windows: FolderWindows,
): AsyncGenerator<StoredObject | string> {
  let floor = floorWithin(base, bounds);
  for (;;) {
    const { keys, isLast } = await windows.read(folder, floor);
    let seen = 0;
    for (const key of keys) {
      const isFolder = key.endsWith('/');
      // Nothing can follow after the prefix, however large the folder is.
      if (isPast(join(base, key), bounds.prefix)) return;
      if (!isWanted(key, isFolder, base, bounds)) continue;
      if (++seen % BATCH_FILES === 0) await setImmediate();
      if (!isFolder) {
        const object = lookAt(folder, base, key);
        if (object) yield object;
        continue;
      }
      const path = join(base, key);
      const isWhole = bounds.isFolder && !bounds.prefix.startsWith(path);
      if (isWhole && path <= bounds.after) continue;
      await using inner = await openEntry(folder, key);
      if (!inner) continue;
      if (!isWhole) yield* walkFolder(inner, path, bounds, windows);
      else if (await holdsObject(inner, path)) yield toText(path) ?? '';
    }
    if (isLast) return;
    floor = keys.at(-1) ?? floor;
  }
}

/** Returns true when a folder has an object at any depth; reads no further than to the first one. */
async function holdsObject(folder: OpenFolder, base: ByteString): Promise<boolean> {
  const folders: ByteString[] = [];
  for await (const batch of readEntries(folder)) {
    for (const { key, isFolder } of batch) {
      if (isFolder) folders.push(key);
      else if (lookAt(folder, base, key)) return true;
    }
  }
  for (const key of folders) {
    await using inner = await openEntry(folder, key);
    if (inner && (await holdsObject(inner, join(base, key)))) return true;
  }
  return false;
}

/**
 * Returns undefined for names that are not UTF-8, or longer than a path may be: they can't be requested, so they are
 * not listed.
 */
function nameOf(base: ByteString, key: ByteString): string | undefined {
  return base.length + key.length > LIMITS.objectPathBytes ? undefined : toText(key);
}

function lookAt(folder: OpenFolder, base: ByteString, key: ByteString): StoredObject | undefined {
  const name = nameOf(base, key);
  const stats = name === undefined ? undefined : orAbsent(() => lstatSync(folder.at(name), { bigint: true }));
  return name !== undefined && stats?.isFile() ? toStoredObject((toText(base) ?? '') + name, stats) : undefined;
}

async function openEntry(folder: OpenFolder, key: ByteString): Promise<OpenFolder | undefined> {
  const name = toText(key);
  return name === undefined ? undefined : openFolder(folder.at(name.slice(0, -1)));
}

function orAbsent<Value>(look: () => Value): Value | undefined {
  try {
    return look();
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** Returns the key after which a folder's entries may be within the bounds; the first few may still be before them. */
function floorWithin(base: ByteString, { prefix, after }: WalkBounds): ByteString {
  // The key of a folder that `after` leads into has a slash, so it comes after its name.
  const [start, first] = [nameWithin(base, after), justBefore(nameWithin(base, prefix))];
  if (start > first) return start;
  return first;
}

/** Returns the name in a folder that a path leads to or through; empty when it leads elsewhere. */
function nameWithin(base: ByteString, path: ByteString): ByteString {
  return (path.startsWith(base) ? (path.slice(base.length).split('/', 1)[0] ?? '') : '') as ByteString;
}

/** Returns a key that comes before a name, with few between them. */
function justBefore(name: ByteString): ByteString {
  const byte = name.charCodeAt(name.length - 1);
  const start = name.slice(0, -1);
  return (byte > 0 ? `${start}${String.fromCharCode(byte - 1)}\xff` : start) as ByteString;
}

function isWanted(key: ByteString, isFolder: boolean, base: ByteString, { prefix, after }: WalkBounds): boolean {
  const path = join(base, key);
  const isPrefixed = path.startsWith(prefix) || (isFolder && prefix.startsWith(path));
  return isPrefixed && (path > after || (isFolder && after.startsWith(path)));
}

function isPast(path: ByteString, prefix: ByteString): boolean {
  return path > prefix && !path.startsWith(prefix);
}

/** Counts the files below a folder, and prepares the listing of large ones. @throws the signal's reason */
export async function measureFolder(
  folder: OpenFolder,
  windows: Pick<FolderWindows, 'prepare'>,
  signal: AbortSignal | undefined,
  base: ByteString = toBytes(''),
): Promise<VolumeSize> {
  let sizeBytes = 0;
  let objectCount = 0;
  let entries = 0;
  const folders: FolderEntry[] = [];
  for await (const batch of readEntries(folder)) {
    signal?.throwIfAborted();
    entries += batch.length;
    for (const [index, entry] of batch.entries()) {
      if (index % BATCH_FILES === BATCH_FILES - 1) await setImmediate();
      if (entry.isFolder) folders.push(entry);
      const name = entry.isFolder ? undefined : nameOf(base, entry.key);
      const stats = name === undefined ? undefined : orAbsent(() => lstatSync(folder.at(name)));
      if (!stats?.isFile()) continue;
      sizeBytes += stats.size;
      objectCount++;
    }
  }
  await windows.prepare(folder, entries);
  for (const { key } of folders) {
    await using inner = await openEntry(folder, key);
    if (!inner) continue;
    const size = await measureFolder(inner, windows, signal, join(base, key));
    sizeBytes += size.sizeBytes;
    objectCount += size.objectCount;
  }
  return { sizeBytes, objectCount };
}
