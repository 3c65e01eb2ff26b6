import type { Readable } from 'node:stream';
import type { Artifact, Capability, Owner, PrepareOptions } from '@berth/runtime';

/** A complete and synced archive. */
export interface StoredArchive {
  /** Path on the disk of the server that received it. */
  readonly path: string;
  /** Path in the object store that all servers share; absent when only that server has the archive. */
  readonly object?: string;
  readonly sizeBytes: number;
  /** Hex SHA-256 of the bytes as received. */
  readonly sha256: string;
}

/** Options of {@link Builder.receive}. */
export interface ReceiveOptions {
  /** Maximum size in bytes; larger archives are refused as soon as they exceed it. Default: no limit. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

/** One build, as requested from {@link Builder.build}. */
export interface BuildRequest {
  readonly owner: Owner;
  readonly archive: StoredArchive;
  /** Name of the resulting folder or image; never reused for the same owner. */
  readonly revision: string;
  /** The port that the service must listen on, for hints about images that expose another one. */
  readonly port?: number;
  /** Receives the build's log line by line. `isOutput` distinguishes output of commands from Berth's own lines. */
  readonly onLine: (line: string, isOutput: boolean) => void | Promise<void>;
}

/** The result of {@link Builder.build}. */
export interface BuildResult {
  readonly artifact: Artifact;
  /** `sha256:<hex>` of the build's inputs. */
  readonly digest: string;
  /** Variables that the project's `berth.json` requires. */
  readonly requiredEnv: readonly string[];
  /** Wall time of the build's commands in milliseconds, for metering. */
  readonly buildMs: number;
}

/** The files that pruning must keep. */
export interface Needed {
  readonly artifacts: readonly Artifact[];
  readonly archives: readonly StoredArchive[];
  /** Deployments with a running deploy, whose artifact may not be in a record yet. */
  readonly deploying: readonly Owner[];
}

/** Options of {@link Builder.prune}. */
export interface PruneOptions {
  /** Removes nothing and returns what would be removed. */
  readonly isDryRun: boolean;
  /** Called after existing files are listed; files created later are not removed. */
  readNeeded(): Promise<Needed>;
}

/** Result of pruning for one kind of file. `artifacts` are those without a revision. */
export interface Pruned {
  readonly what: 'caches' | 'artifacts' | 'archives' | 'images';
  readonly count: number;
  /** Bytes freed; null if that is unknown in advance, as for layers that images share. */
  readonly sizeBytes: number | null;
}

/** Builds artifacts from archives. There is one implementation per kind of artifact. */
export interface Builder {
  /** The kind of artifact that this builder makes, and the only kind that its runtime starts. */
  readonly artifactKind: Artifact['kind'];
  /**
   * Streams an archive to disk (temporary file, fsync, rename), in constant memory. A failure leaves no files.
   * @throws BerthError `archive_too_large` once `maxBytes` is exceeded, `out_of_capacity` if the disk is full; also any
   * error of the source, and the signal's reason.
   */
  receive(source: Readable, options?: ReceiveOptions): Promise<StoredArchive>;
  /** Deletes a received archive. Idempotent. */
  discard(archive: StoredArchive): Promise<void>;
  /** Returns whether an archive can still be built. */
  hasArchive(archive: StoredArchive): Promise<boolean>;
  /**
   * Builds an archive, starting immediately; the caller limits how many builds run. A failure leaves no files.
   * @throws BerthError `archive_invalid`, `build_failed`, `build_timeout`, `out_of_capacity` (the disk) or `cancelled`.
   * `details.logs` has the last lines of a command that failed.
   */
  build(request: BuildRequest, options: { readonly signal: AbortSignal }): Promise<BuildResult>;
  /**
   * Adapts an artifact to this server after a restore or after its folder was moved: its owner's user may have another
   * id, and its scripts may contain their old path. Idempotent. No program of the artifact may be running.
   * @param formerFolder The absolute folder that artifacts' paths were relative to; undefined if unknown.
   * @throws BerthError `not_found` if the artifact doesn't exist.
   */
  adopt(artifact: Artifact, formerFolder: string | undefined): Promise<void>;
  /** Deletes an artifact. Idempotent. */
  remove(artifact: Artifact): Promise<void>;
  /**
   * Deletes all artifacts and archives that aren't in `keep`, such as leftovers of a crash, except those being received
   * or built now. Call this before accepting requests: a received archive that isn't in a record yet is deleted too.
   */
  collect(keep: Pick<Needed, 'artifacts' | 'archives'>): Promise<void>;
  /**
   * Deletes all caches, and unreferenced artifacts and archives. Safe during builds: the caches of running builds stay.
   * Archives are kept for at least a day, because an archive is received before a record references it.
   */
  prune(options: PruneOptions): Promise<readonly Pruned[]>;
  /** Reports the kinds of projects that this machine can build. */
  capabilities(): Promise<readonly Capability[]>;
  /** Ends what is kept ready for the next builds. No build may be running. */
  close?(): Promise<void>;
  /** Present when several servers share a database and an object store. Absent when artifacts and archives stay on this machine. */
  readonly shared?: SharedBuilds;
}

/** The artifacts and archives that all servers share, seen from one of them. */
export interface SharedBuilds {
  /** Fetches an artifact that is not on this machine. Concurrent calls share one fetch. Errors: as `Runtime.prepare`. */
  ensure(artifact: Artifact, options: PrepareOptions): Promise<void>;
  /**
   * Stores an artifact that only this machine has, from before several servers shared them. Returns the artifact to record;
   * undefined when it is stored already, or isn't here.
   */
  share(artifact: Artifact): Promise<Artifact | undefined>;
  /**
   * Deletes this machine's copies of artifacts that other servers removed, and objects that no record references. Call it regularly:
   * a copy goes only when it was unneeded for longer than a replaced revision may drain, and an object only after a day.
   */
  sweep(readNeeded: PruneOptions['readNeeded']): Promise<void>;
}

/** A copy of an artifact on this machine, or the leftovers of one. */
export interface LocalCopy {
  /** Identifies the copy on this machine. */
  readonly id: string;
  readonly owner: Owner;
}

/** The copies of artifacts on this machine, as streams that other machines can read. */
export interface LocalCopies {
  /** Absolute folder that artifacts' paths are relative to; undefined for images. */
  readonly folder: string | undefined;
  /** Returns the {@link LocalCopy.id} of an artifact's copy; undefined for another kind of artifact. */
  idOf(artifact: Artifact): string | undefined;
  /** Returns whether this machine has a complete copy, made by the build that the artifact names. */
  has(artifact: Artifact): Promise<boolean>;
  /** Returns a tar of the artifact, which {@link unpack} reads. Errors are those of the stream. */
  pack(artifact: Artifact): Promise<Readable>;
  /**
   * Makes a copy from a tar, in place of what is there. It appears completely or not at all. @throws BerthError `out_of_capacity`
   * when the disk is full; the signal's reason
   */
  unpack(artifact: Artifact, tar: Readable, options: { readonly signal: AbortSignal }): Promise<void>;
  /** Records that this machine's copy is the one that `artifact.stored` describes. */
  confirm(artifact: Artifact): Promise<void>;
  list(): Promise<readonly LocalCopy[]>;
  remove(copy: LocalCopy): Promise<void>;
}

/** A builder whose artifacts can be moved to other machines. */
export interface LocalBuilder extends Builder {
  readonly copies: LocalCopies;
}
