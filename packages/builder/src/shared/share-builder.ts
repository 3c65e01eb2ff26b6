import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { createError } from '@berth/contract';
import { BerthError, type Clock, createIdSource, createLimiter, createSingleFlight, type Logger } from '@berth/kit';
import type { ObjectStore } from '@berth/object-store';
import type { Artifact, StoredArtifact } from '@berth/runtime';
import { formatBytes } from '../files/format-bytes.ts';
import type { Builder, LocalBuilder, Needed, Pruned, SharedBuilds, StoredArchive } from '../port/builder.ts';
import { createByteMeter } from './byte-meter.ts';
import { createCopySweep } from './copy-sweep.ts';
import { ARCHIVES, ARTIFACTS, createObjectSweep } from './object-sweep.ts';
import { retry } from './retry.ts';

/** Options of {@link shareBuilder}. */
export interface ShareBuilderOptions {
  /** The builder of this machine. */
  readonly local: LocalBuilder;
  /** The object store of all servers. The builder uses the places of the account `builds` in it. */
  readonly objects: ObjectStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How long the fetch of one artifact may take. */
const FETCH_MS = 300_000;
/** Fetches at a time: enough to fill a network, few enough to leave the disk to running services. */
const PARALLEL_FETCHES = 4;

/**
 * Wraps the builder of one machine so that all servers with the same object store can continue each other's deploys and
 * start each other's revisions. Invariants:
 * 1. An archive is in the object store before `receive` resolves, and an artifact before `build` does.
 * 2. Every object has a name of its own, which is never written twice. A server that lost its deploy to another one
 *    can't replace what that one stored.
 * 3. A fetched object is used only if its checksum is the recorded one.
 * 4. An object that a record names is removed only by `remove` and `discard`.
 */
export function shareBuilder({ local, objects, clock, logger }: ShareBuilderOptions): Builder {
  const { copies } = local;
  const ids = createIdSource(() => clock.nowMs());
  const flights = createSingleFlight<void>();
  const fetches = createLimiter({ concurrency: PARALLEL_FETCHES });
  const archives = shareArchives({ local, objects, clock });
  const download = createDownload({ local, objects, clock });
  const copySweep = createCopySweep({ copies, clock });

  const store = async (artifact: Artifact, signal: AbortSignal): Promise<Artifact> => {
    const object = `${nameOf(artifact)}-${ids.next('build')}.tar.zst`;
    const meter = await retry({ clock, signal }, async () => {
      const attempt = createByteMeter();
      // The reader of the outcome gets the errors.
      pipeline(await copies.pack(artifact), createZstdCompress(), attempt.stream, () => {});
      await objects.put(ARTIFACTS, object, attempt.stream, { signal });
      return attempt.result();
    });
    const stored = { ...artifact, stored: { object, ...meter, ...(copies.folder && { builtIn: copies.folder }) } };
    await copies.confirm(stored);
    return stored;
  };

  const fetchNow = async (artifact: Artifact, stored: StoredArtifact): Promise<void> => {
    const deadline = new AbortController();
    const timer = clock.setTimer(FETCH_MS, () =>
      deadline.abort(createError('start_failed', `${UNFETCHED} It took longer than ${FETCH_MS / 1_000} s.`)),
    );
    const startMs = clock.monotonicMs();
    try {
      const file = await download(ARTIFACTS, stored.object, stored, deadline.signal);
      try {
        const tar = createZstdDecompress();
        pipeline(createReadStream(file.path), tar, () => {});
        await copies.unpack(artifact, tar, { signal: deadline.signal });
      } finally {
        await local.discard(file);
      }
      const fields = {
        object: stored.object,
        sizeBytes: stored.sizeBytes,
        ms: Math.round(clock.monotonicMs() - startMs),
      };
      logger.info(fields, 'fetched a build result');
    } finally {
      timer.cancel();
    }
  };

  return {
    ...archives,

    async build(request, options) {
      const { onLine } = request;
      const { signal } = options;
      const result = await archives.build(request, options);
      try {
        await onLine('Storing the build result for all servers', false);
        const stored = await store(result.artifact, signal);
        await onLine(`Stored the build result, ${formatBytes(stored.stored?.sizeBytes ?? 0)}`, false);
        return { ...result, artifact: stored };
      } catch (error) {
        await local.remove(result.artifact);
        if (signal.aborted) throw createError('cancelled', 'The build was canceled.', { cause: error });
        throw explain(error, 'build_failed', "The build result couldn't be stored.");
      }
    },

    async adopt(artifact, formerFolder) {
      // It is adapted when it is fetched.
      if (artifact.stored !== undefined && !(await copies.has(artifact))) return;
      await local.adopt(artifact, formerFolder);
    },

    async remove(artifact) {
      await local.remove(artifact);
      if (artifact.stored !== undefined) await objects.delete(ARTIFACTS, artifact.stored.object);
    },

    shared: {
      async ensure(artifact, { signal, onNotice }) {
        if (await copies.has(artifact)) return;
        const { stored } = artifact;
        if (stored === undefined) {
          throw createError(
            'start_failed',
            'The build result of this revision is only on the server that built it. Deploy again.',
          );
        }
        onNotice(`Fetching the build result, ${formatBytes(stored.sizeBytes)}`);
        const fetching = flights.run(stored.object, () => fetches.run(() => fetchNow(artifact, stored)));
        await whileWanted(fetching, signal).catch((error: unknown) => {
          signal.throwIfAborted();
          const fields = { object: stored.object, error: error instanceof Error ? error.message : String(error) };
          logger.warn(fields, 'a build result could not be fetched');
          throw explain(error, 'start_failed', UNFETCHED);
        });
      },
      async share(artifact) {
        if (artifact.stored !== undefined || !(await copies.has(artifact))) return undefined;
        return store(artifact, new AbortController().signal);
      },
      async sweep(readNeeded) {
        const listed = await copies.list();
        let needed: Needed | undefined;
        await archives.shared.sweep(async () => {
          needed = await readNeeded();
          return needed;
        });
        if (needed) await copySweep(listed, needed);
      },
    },
  };
}

/**
 * Wraps a builder whose results all servers reach, so that they can continue each other's deploys: an archive is in the object store before
 * `receive` resolves.
 */
export function shareArchives({
  local,
  objects,
  clock,
}: Pick<ShareBuilderOptions, 'objects' | 'clock'> & { readonly local: Builder }): Builder & {
  readonly shared: SharedBuilds;
} {
  const ids = createIdSource(() => clock.nowMs());
  const objectSweep = createObjectSweep({ objects, clock });
  const download = createDownload({ local, objects, clock });

  const bring = async (archive: StoredArchive, signal: AbortSignal): Promise<StoredArchive | undefined> => {
    if (archive.object === undefined || (await local.hasArchive(archive))) return undefined;
    try {
      return await download(ARCHIVES, archive.object, archive, signal);
    } catch (error) {
      throw explain(error, 'build_failed', "The deploy's archive couldn't be fetched.");
    }
  };

  return {
    ...local,

    async receive(source, options = {}) {
      const archive = await local.receive(source, options);
      const object = `${ids.next('archive')}.tar.gz`;
      try {
        await retry({ clock, signal: options.signal ?? new AbortController().signal }, async () => {
          const expected = { sizeBytes: archive.sizeBytes, sha256: Buffer.from(archive.sha256, 'hex') };
          await objects.put(ARCHIVES, object, createReadStream(archive.path), { signal: options.signal, ...expected });
        });
      } catch (error) {
        await local.discard(archive);
        throw error;
      }
      return { ...archive, object };
    },

    async discard(archive) {
      await local.discard(archive);
      if (archive.object !== undefined) await objects.delete(ARCHIVES, archive.object);
    },

    hasArchive: async (archive) =>
      (await local.hasArchive(archive)) ||
      (archive.object !== undefined && (await objects.find(ARCHIVES, archive.object)) !== undefined),

    async build(request, options) {
      const fetched = await bring(request.archive, options.signal);
      try {
        return await local.build({ ...request, archive: fetched ?? request.archive }, options);
      } finally {
        if (fetched) await local.discard(fetched);
      }
    },

    async prune(options) {
      const found = await objectSweep.find();
      let needed: Needed | undefined;
      const pruned = await local.prune({
        ...options,
        readNeeded: async () => {
          needed = await options.readNeeded();
          return needed;
        },
      });
      if (needed === undefined) return pruned;
      return addObjects(pruned, await objectSweep.remove(found, needed, options.isDryRun));
    },

    shared: {
      ensure: async () => {},
      share: async () => undefined,
      async sweep(readNeeded) {
        const found = await objectSweep.find();
        await objectSweep.remove(found, await readNeeded(), false);
      },
    },
  };
}

/** Returns a function that downloads an object to this machine's archives. It throws BerthError `unavailable`, `not_found`, `conflict` (damaged). */
function createDownload({
  local,
  objects,
  clock,
}: Pick<ShareBuilderOptions, 'objects' | 'clock'> & { readonly local: Pick<Builder, 'receive' | 'discard'> }) {
  return (
    place: typeof ARCHIVES,
    object: string,
    expected: Pick<StoredArtifact, 'sizeBytes' | 'sha256'>,
    signal: AbortSignal,
  ) =>
    retry({ clock, signal }, async () => {
      await using open = await objects.open(place, object);
      if (!open) throw createError('not_found', 'It is not in the object store.');
      const isWhole = open.object.sizeBytes === expected.sizeBytes;
      const received = isWhole ? await local.receive(open.read(), { signal }) : undefined;
      if (received?.sha256 === expected.sha256) return received;
      if (received) await local.discard(received);
      throw createError('conflict', 'It is damaged in the object store: its checksum differs from the recorded one.');
    });
}

const UNFETCHED = "The build result of this revision couldn't be fetched.";

/** Returns `<account>/<deployment>/<revision>`. */
function nameOf(artifact: Artifact): string {
  if (artifact.kind === 'folder') return artifact.path;
  // `<server>/<account>/<deployment>:<revision>`
  return artifact.name.split('/').slice(1).join('/').replace(':', '/');
}

/** Waits for shared work until `signal` aborts; the work continues for others. @throws the signal's reason */
async function whileWanted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Returns an error with a code that a deploy or a start may end with. A full disk and a canceled build keep theirs. */
function explain(error: unknown, code: 'build_failed' | 'start_failed', what: string): unknown {
  if (!BerthError.is(error)) return createError(code, `${what} See the platform's log.`, { cause: error });
  if (['out_of_capacity', 'cancelled', code].includes(error.code)) return error;
  const remedy = error.code === 'unavailable' ? '' : ' Deploy again.';
  return createError(code, `${what} ${error.message}${remedy}`, { cause: error });
}

/** Adds objects that nothing needed to the counts of what this machine had. */
function addObjects(
  pruned: readonly Pruned[],
  removed: Awaited<ReturnType<ReturnType<typeof createObjectSweep>['remove']>>,
) {
  return pruned.map((one) => {
    const more = one.what === 'archives' ? removed.archives : one.what === 'caches' ? undefined : removed.artifacts;
    if (more === undefined) return one;
    const sizeBytes = one.sizeBytes === null ? null : one.sizeBytes + more.sizeBytes;
    return { ...one, count: one.count + more.count, sizeBytes };
  });
}
