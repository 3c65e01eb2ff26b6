import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { codeOf, entityTag, isAbsence, refuseClimb } from '@berth/kit/node';
import type { Precondition, PutResult, StoredObject } from '../object-store.ts';

/** A complete file that gets its name in a volume. */
export interface PlaceRequest {
  /** Folder of the volume. */
  readonly volume: string;
  /** Path of the object. */
  readonly path: string;
  /** Path of the file, on the file system of the volume. It no longer exists after a success. */
  readonly temporary: string;
  /** The descriptor of the file; or its bytes, and no file exists yet. */
  readonly content: number | Uint8Array;
  readonly precondition?: Precondition | undefined;
}

/** Why a file was not placed: a folder that doesn't exist (any more), a path through an object, a path of a folder, a failed precondition. */
export type PlaceRefusal = 'no_folder' | 'leads_through' | 'is_folder' | 'not_met';

/** The outcome of a request, in a form that crosses threads. */
export type PlaceOutcome =
  | { readonly result: PutResult }
  | { readonly refusal: PlaceRefusal }
  | { readonly error: { readonly code: string | undefined; readonly message: string } };

interface HeldFolder {
  readonly fd: number;
  readonly path: string;
  readonly gid: number;
  readonly mode: number;
}

interface Job {
  readonly request: PlaceRequest;
  fd: number;
  folder?: HeldFolder;
  replaced?: StoredObject | undefined;
  outcome?: PlaceOutcome;
}

const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Services of the account may use uploaded files and folders; no one else may. */
const FILE_MODE = 0o660;
const FOLDER_MODE = 0o770;
const SETGID = 0o2000;
const IS_ROOT = process.getuid?.() === 0;

/**
 * Places files, each in one step after its data is synced to disk. Files of one folder share one sync of the folder, and no
 * outcome is known before it. Synchronous: between threads, a call costs several times what the system takes for it.
 */
export function placeFiles(requests: readonly PlaceRequest[]): PlaceOutcome[] {
  const folders = new Map<string, HeldFolder>();
  const jobs: Job[] = requests.map((request) => ({ request, fd: -1 }));
  const each = (step: (job: Job) => void) => {
    for (const job of jobs) {
      if (job.outcome) continue;
      try {
        step(job);
      } catch (error) {
        job.outcome = toOutcome(error);
      }
    }
  };
  try {
    each((job) => prepare(job, folders));
    each(({ fd }) => fsyncSync(fd));
    each(name);
    const named = new Set(jobs.filter((job) => !job.outcome).map((job) => job.folder as HeldFolder));
    for (const folder of named) syncFolder(folder, jobs);
    each((job) => {
      const object = toStored(job.request.path, fstatSync(job.fd, { bigint: true }));
      job.outcome = { result: { object, replacedBytes: job.replaced?.sizeBytes } };
    });
  } finally {
    for (const job of jobs) discard(job);
    for (const { fd } of folders.values()) closeSync(fd);
  }
  return jobs.map(({ outcome }) => outcome as PlaceOutcome);
}

function prepare(job: Job, folders: Map<string, HeldFolder>): void {
  const { volume, path, temporary, content } = job.request;
  const parents = path.split('/');
  for (const part of parents) refuseClimb(part);
  parents.pop();
  const folder = holdFolder(volume, parents, folders);
  job.folder = folder;
  job.fd = typeof content === 'number' ? content : createFile(temporary, content);
  if (IS_ROOT && (folder.mode & SETGID) !== 0) fchownSync(job.fd, -1, folder.gid);
  fchmodSync(job.fd, FILE_MODE);
}

function createFile(file: string, bytes: Uint8Array): number {
  const fd = openSync(file, 'wx', 0o600);
  try {
    for (let written = 0; written < bytes.byteLength; ) written += writeSync(fd, bytes, written);
    return fd;
  } catch (error) {
    closeSync(fd);
    unlinkSync(file);
    throw error;
  }
}

/** Opens the folder at a path below a volume, each part by itself and without following links, and creates missing ones. */
function holdFolder(volume: string, parts: readonly string[], held: Map<string, HeldFolder>): HeldFolder {
  const key = [volume, ...parts].join('/');
  const known = held.get(key);
  if (known) return known;
  const part = parts.at(-1);
  const outer = part === undefined ? undefined : holdFolder(volume, parts.slice(0, -1), held);
  const folder = outer ? at(outer, part as string) : volume;
  let fd = openFolder(folder);
  if (fd === undefined && outer) fd = makeFolder(outer, folder);
  if (fd === undefined) throw new Refused(outer ? 'leads_through' : 'no_folder');
  const { gid, mode } = fstatSync(fd);
  const made = { fd, path: folder, gid, mode };
  held.set(key, made);
  return made;
}

function openFolder(folder: string): number | undefined {
  try {
    return openSync(folder, FOLDER_FLAGS);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** Creates a folder durably; returns undefined when something else is in its place. */
function makeFolder(outer: HeldFolder, folder: string): number | undefined {
  try {
    mkdirSync(folder, FOLDER_MODE);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return openFolder(folder);
    throw error;
  }
  const fd = openFolder(folder);
  if (fd === undefined) return undefined;
  // The umask applies to the mode of mkdir(2), so the mode is set explicitly.
  fchmodSync(fd, FOLDER_MODE | (outer.mode & SETGID));
  fsyncSync(outer.fd);
  return fd;
}

/** A path through the descriptor names this very folder, even after it was moved. Only Linux has such paths. */
function at({ fd, path }: HeldFolder, name: string): string {
  return `${process.platform === 'linux' ? `/proc/self/fd/${fd}` : path}/${name}`;
}

/** Gives a synced file its name. */
function name(job: Job): void {
  const { path, temporary, precondition } = job.request;
  const target = at(job.folder as HeldFolder, path.slice(path.lastIndexOf('/') + 1));
  const before = lstatSync(target, { bigint: true, throwIfNoEntry: false });
  if (before?.isDirectory()) throw new Refused('is_folder');
  job.replaced = before?.isFile() ? toStored(path, before) : undefined;
  if (precondition?.etags && !isOneOf(job.replaced, precondition.etags)) throw new Refused('not_met');
  try {
    if (precondition?.isAbsent) {
      // link(2) fails when the target exists, without a race.
      linkSync(temporary, target);
      unlinkSync(temporary);
    } else renameSync(temporary, target);
  } catch (error) {
    // A service removed the folder in the meantime.
    if (codeOf(error) === 'ENOENT') throw new Refused('no_folder');
    if (precondition?.isAbsent) throw codeOf(error) === 'EEXIST' ? new Refused('not_met') : error;
    throw ['EISDIR', 'ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '') ? new Refused('is_folder') : error;
  }
}

function isOneOf(object: StoredObject | undefined, etags: '*' | readonly string[]): boolean {
  return object !== undefined && (etags === '*' || etags.includes(object.etag));
}

/** Syncs a folder once for all files that were named in it. When that fails, none of them counts as placed. */
function syncFolder(folder: HeldFolder, jobs: readonly Job[]): void {
  try {
    fsyncSync(folder.fd);
  } catch (error) {
    for (const job of jobs) if (job.folder === folder) job.outcome ??= toOutcome(error);
  }
}

/** Closes a file that was created here, and removes it unless it has its name. */
function discard({ request, fd, outcome }: Job): void {
  if (fd === -1 || typeof request.content === 'number') return;
  closeSync(fd);
  if (outcome && 'result' in outcome) return;
  try {
    unlinkSync(request.temporary);
  } catch {
    // It has its name already, or the next start removes it.
  }
}

function toStored(path: string, stats: Parameters<typeof entityTag>[0] & { readonly mtimeMs: bigint }): StoredObject {
  return { path, sizeBytes: Number(stats.size), updatedAtMs: Number(stats.mtimeMs), etag: entityTag(stats) };
}

class Refused extends Error {
  readonly refusal: PlaceRefusal;

  constructor(refusal: PlaceRefusal) {
    super(refusal);
    this.refusal = refusal;
  }
}

function toOutcome(error: unknown): PlaceOutcome {
  if (error instanceof Refused) return { refusal: error.refusal };
  return { error: { code: codeOf(error), message: (error as Error).message } };
}
