import type { BigIntStats } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { endianness } from 'node:os';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { writePrivateFile } from '@berth/kit/node';
import { createSnapshot, type FolderSnapshot, type Run } from './folder-snapshot.ts';

/** The properties by which one state of a folder differs from every other. */
export type FolderState = Pick<BigIntStats, 'ino' | 'mtimeNs' | 'ctimeNs'>;

/** Complete snapshots of large folders on disk. A missing or damaged one is `undefined`: the folder itself is then read. */
export interface StoredSnapshots {
  has(state: FolderState): Promise<boolean>;
  find(state: FolderState): Promise<FolderSnapshot | undefined>;
  /** Stores the snapshot of a folder in place of earlier ones. Does nothing when the disk refuses. */
  save(state: FolderState, snapshot: FolderSnapshot): Promise<void>;
}

/** Snapshots that are kept, the latest ones: a million names of 20 bytes take 24 MB. */
const KEPT = 16;
/** Larger snapshots are not stored: two million names may have 255 bytes each. */
const BYTES_MAX = 64 * 2 ** 20;
const WORD = Uint32Array.BYTES_PER_ELEMENT;
const FORMAT = `1${endianness()}`;

/** Identifies the run of the kernel. Only Linux has it. */
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/**
 * Creates the store of snapshots. The name of a file is the state of its folder, so a snapshot is never used for another state:
 * - The change time is part of it, because programs such as tar and rsync set the modification time.
 * - The run of the kernel is part of it, because a power cut may keep new names and lose the new times of a folder. Systems that don't
 *   tell it store nothing.
 *
 * A file has a checksum of what follows it, the number of runs, the number of keys and bytes of each, where the keys of each end, and
 * their bytes.
 *
 * @param folder Created when missing, private to the server.
 */
export function createStoredSnapshots(folder: string): StoredSnapshots {
  let known: Promise<Set<string>> | undefined;
  let boot: Promise<string | undefined> | undefined;
  const list = () => readdir(folder).catch((): string[] => []);
  const findBoot = () => {
    boot ??= readFile(BOOT_ID, 'latin1').then(
      (text) => text.trim(),
      () => undefined,
    );
    return boot;
  };
  // Most folders have none, and listing them must not cost a failing read of a file each.
  const names = () => {
    known ??= list().then((found) => new Set(found));
    return known;
  };
  const remove = async (name: string): Promise<void> => {
    (await names()).delete(name);
    await rm(path.join(folder, name), { force: true });
  };
  const removeOthers = async (saved: string, isEarlier: (name: string) => boolean): Promise<void> => {
    const found = await Promise.all(
      (await list()).map(async (name) => {
        const stats = await stat(path.join(folder, name)).catch(() => undefined);
        return { name, mtimeMs: stats?.mtimeMs ?? 0 };
      }),
    );
    found.sort((one, other) => other.mtimeMs - one.mtimeMs);
    for (const [index, { name }] of found.entries()) {
      if (index >= KEPT || (name !== saved && isEarlier(name))) await remove(name);
    }
  };
  return {
    has: async (state) => (await names()).has(nameOf(state, await findBoot())),
    async find(state) {
      const name = nameOf(state, await findBoot());
      if (!(await names()).has(name)) return undefined;
      const bytes = await readFile(path.join(folder, name)).catch(() => undefined);
      const runs = bytes && decode(bytes);
      if (!runs) await remove(name);
      return runs && createSnapshot(runs, true);
    },
    async save(state, { runs, isComplete }) {
      const sizeBytes = runs.reduce((sum, { bytes, ends }) => sum + bytes.byteLength + ends.byteLength, 0);
      const run = await findBoot();
      if (!isComplete || sizeBytes > BYTES_MAX || run === undefined) return;
      const name = nameOf(state, run);
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writePrivateFile(path.join(folder, name), encode(runs));
        (await names()).add(name);
        await removeOthers(name, (other) => other.startsWith(prefixOf(state, run)));
      } catch {
        // Without it, the folder is read again.
      }
    },
  };
}

function nameOf(state: FolderState, boot: string | undefined): string {
  return `${prefixOf(state, boot)}${state.mtimeNs}-${state.ctimeNs}.${FORMAT}`;
}

function prefixOf({ ino }: FolderState, boot: string | undefined): string {
  return `${boot}.${ino}.`;
}

function encode(runs: readonly Run[]): Uint8Array[] {
  const table = Uint32Array.of(runs.length, ...runs.flatMap(({ bytes, ends }) => [ends.length, bytes.length]));
  const parts = [table, ...runs.map(({ ends }) => ends), ...runs.map(({ bytes }) => bytes)].map(
    ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
  );
  const sum = parts.reduce((before, part) => crc32(part, before), 0);
  return [new Uint8Array(Uint32Array.of(sum).buffer), ...parts];
}

function decode(file: Buffer): Run[] | undefined {
  if (file.length < 2 * WORD || crc32(file.subarray(WORD)) !== wordsAt(file, 0, 1)[0]) return undefined;
  const [count = 0] = wordsAt(file, WORD, 1);
  const table = wordsAt(file, 2 * WORD, 2 * count);
  let endsAt = (2 + table.length) * WORD;
  let bytesAt = endsAt;
  for (let run = 0; run < count; run++) bytesAt += (table[2 * run] ?? 0) * WORD;
  return Array.from({ length: count }, (_value, run) => {
    const [keys = 0, bytes = 0] = table.subarray(2 * run);
    const found = { ends: wordsAt(file, endsAt, keys), bytes: file.subarray(bytesAt, bytesAt + bytes) };
    endsAt += keys * WORD;
    bytesAt += bytes;
    return found;
  });
}

function wordsAt(file: Buffer, at: number, count: number): Uint32Array {
  return new Uint32Array(file.buffer, file.byteOffset + at, count);
}
