import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { dirname, join, matchesGlob } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Header, type Pack, pack } from 'tar-stream';
import type { FileMode } from './buildkit/adapt-dockerfile.ts';
import type { IsIgnored } from './ignore-rules.ts';

/** Options of {@link packContext}. */
export interface PackContextOptions {
  /** The project on disk, as made by `unpackArchive`. */
  readonly folder: string;
  /** Prefix of all paths, e.g. `app/`; may be empty. */
  readonly prefix: string;
  readonly isIgnored: IsIgnored;
  /** Berth's own files, in addition to the project's or replacing them: path to content. */
  readonly extra: Readonly<Record<string, string | Uint8Array>>;
  /** Modes of some files; the last match applies. Default: none. */
  readonly modes?: readonly FileMode[];
  /** Hex SHA-256 of the source tree. */
  readonly sha256: string;
}

/** 1980, the earliest time in a zip file, and so in a Python wheel. Source: PKWARE APPNOTE 4.4.6. */
const FIRST_TIME_MS = 315_532_800_000;

/**
 * Returns the tar of a build context. The same source gives the same bytes: sorted, without owners, and with one
 * modification time for all files. That time is derived from the source's hash, because file servers compute ETags from
 * time and size, and a changed file must get a new ETag.
 */
export function packContext(options: PackContextOptions): Readable {
  const { folder, prefix, isIgnored, extra, modes = [], sha256 } = options;
  // 28 bits of seconds are 8.5 years.
  const mtime = new Date(FIRST_TIME_MS + Number.parseInt(sha256.slice(0, 7), 16) * 1_000);
  const tar = pack();
  const write = async () => {
    for (const [name, content] of Object.entries(extra)) {
      await addEntry(tar, { name, mtime, mode: findMode(name, modes) ?? 0o644 }, Buffer.from(content));
    }
    const isReplaced = (path: string) => Object.hasOwn(extra, prefix + path);
    const isLeftOut: IsIgnored = (path) => isReplaced(path) || isIgnored(path);
    await addFolder(tar, { root: folder, path: '', prefix, isIgnored: isLeftOut, modes, mtime });
    tar.finalize();
  };
  write().catch((error: unknown) => tar.destroy(error instanceof Error ? error : new Error(String(error))));
  // The tar library has its own stream types, with everything that readers use.
  return tar as unknown as Readable;
}

/** Returns the tar of a context that contains only a Dockerfile. */
export function packDockerfile(text: string): Readable {
  const tar = pack();
  tar.entry({ name: 'Dockerfile', mtime: new Date(FIRST_TIME_MS) }, text);
  tar.finalize();
  return tar as unknown as Readable;
}

interface Walk {
  readonly root: string;
  /** Relative to the root; empty for the root. */
  readonly path: string;
  readonly prefix: string;
  readonly isIgnored: IsIgnored;
  readonly modes: readonly FileMode[];
  readonly mtime: Date;
}

/** Adds a folder recursively. Ignored folders are walked too, because a later rule may include a file in them. */
async function addFolder(tar: Pack, walk: Walk): Promise<void> {
  const { root, path, prefix, isIgnored, modes, mtime } = walk;
  for (const name of (await readdir(join(root, path))).sort()) {
    const child = path === '' ? name : `${path}/${name}`;
    const place = join(root, child);
    const stats = await lstat(place);
    const entry = { name: prefix + child, mtime };
    if (stats.isDirectory()) {
      if (!isIgnored(child))
        await addEntry(tar, { ...entry, type: 'directory', mode: findMode(child, modes) ?? 0o755 });
      await addFolder(tar, { ...walk, path: child });
      continue;
    }
    if (isIgnored(child)) continue;
    if (stats.isSymbolicLink()) {
      await addEntry(tar, { ...entry, type: 'symlink', mode: 0o777, linkname: await readlink(place) });
    } else {
      const mode = findMode(child, modes) ?? ((stats.mode & 0o100) === 0 ? 0o644 : 0o755);
      const sink = tar.entry({ ...entry, mode, size: stats.size });
      sink.on('error', toldElsewhere);
      await pipeline(createReadStream(place), sink as unknown as NodeJS.WritableStream);
    }
  }
}

/** Returns the mode set for a path or a folder above it; undefined if there is none. */
function findMode(path: string, modes: readonly FileMode[]): number | undefined {
  const fits = ({ pattern }: FileMode) => {
    for (let at = path; at !== '.'; at = dirname(at)) if (matchesGlob(at, pattern)) return true;
    return pattern === '.';
  };
  return modes.findLast(fits)?.mode;
}

function addEntry(tar: Pack, header: Partial<Header> & { name: string }, content = Buffer.alloc(0)): Promise<void> {
  return new Promise((resolve, reject) => {
    const sink = tar.entry(header, content, (error) => (error ? reject(error) : resolve()));
    sink.on('error', toldElsewhere);
  });
}

/**
 * Ignores an error event. The archive, a callback or a pipeline reports the same error, and an unhandled error event
 * would end the process.
 */
function toldElsewhere(): void {}
