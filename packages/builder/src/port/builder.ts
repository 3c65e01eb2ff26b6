import type { Readable } from 'node:stream';
import type { Artifact, Capability, Owner } from '@berth/runtime';

/** A complete and synced archive on this machine's disk. */
export interface StoredArchive {
  readonly path: string;
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
  /** Paths of archives. */
  readonly archives: readonly string[];
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
  collect(keep: { readonly artifacts: readonly Artifact[]; readonly archives: readonly string[] }): Promise<void>;
  /**
   * Deletes all caches, and unreferenced artifacts and archives. Safe during builds: the caches of running builds stay.
   * Archives are kept for at least a day, because an archive is received before a record references it.
   */
  prune(options: PruneOptions): Promise<readonly Pruned[]>;
  /** Reports the kinds of projects that this machine can build. */
  capabilities(): Promise<readonly Capability[]>;
}
