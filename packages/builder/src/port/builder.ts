import type { Readable } from 'node:stream';
import type { Artifact, Capability, Owner } from '@berth/runtime';

/** An archive on this machine's disk, whole and synced. */
export interface StoredArchive {
  readonly path: string;
  readonly sizeBytes: number;
  /** Hex SHA-256 of the bytes as received. */
  readonly sha256: string;
}

export interface ReceiveOptions {
  /** Bytes after which the archive is refused, as soon as they are passed; absent: no cap. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

export interface BuildRequest {
  readonly owner: Owner;
  readonly archive: StoredArchive;
  /** Names the folder or image that is made; unique for ever per owner. */
  readonly revision: string;
  /** The port that the service will be asked on, for hints about images that announce another one. */
  readonly port?: number;
  /** Output of the build and what was detected, line by line. `isOutput` tells a line of a command from one of Berth. */
  readonly onLine: (line: string, isOutput: boolean) => void | Promise<void>;
}

export interface BuildResult {
  readonly artifact: Artifact;
  /** `sha256:<hex>` of what was built. */
  readonly digest: string;
  /** Wall time of the build's commands, for metering. */
  readonly buildMs: number;
}

/** What a clean-up beside running builds must keep. */
export interface Needed {
  readonly artifacts: readonly Artifact[];
  /** Paths of archives. */
  readonly archives: readonly string[];
  /** Deployments with a deploy under way, whose artifact may be in no record yet. */
  readonly deploying: readonly Owner[];
}

export interface PruneOptions {
  /** Removes nothing, and answers what would be. */
  readonly isDryRun: boolean;
  /** Asked after it was looked what there is: what comes later is not touched. */
  readNeeded(): Promise<Needed>;
}

/** What a clean-up removed of one kind. `artifacts` are those that no revision has. */
export interface Pruned {
  readonly what: 'caches' | 'artifacts' | 'archives' | 'images';
  readonly count: number;
  /** Bytes that the disk got back; null where that can't be told beforehand, as with layers that images share. */
  readonly sizeBytes: number | null;
}

/** Makes an artifact out of an archive. One implementation for each kind of artifact. */
export interface Builder {
  /** What it makes. The runtime beside it starts nothing else. */
  readonly artifactKind: Artifact['kind'];
  /**
   * Streams an archive to disk (temp file, fsync, rename); memory stays flat.
   * @throws BerthError `archive_too_large` once `maxBytes` is passed, `out_of_capacity` when the disk is full, and what the
   * source or the signal says when it breaks off; nothing is left behind.
   */
  receive(source: Readable, options?: ReceiveOptions): Promise<StoredArchive>;
  /** Deletes a received archive. Idempotent. */
  discard(archive: StoredArchive): Promise<void>;
  /**
   * Builds at once; the caller bounds how many builds run.
   * @throws BerthError `archive_invalid`, `build_failed`, `build_timeout`, `out_of_capacity` (the disk) or `cancelled`; nothing is
   * left behind. `details.logs` has the last lines of a command that failed.
   */
  build(request: BuildRequest, options: { readonly signal: AbortSignal }): Promise<BuildResult>;
  /**
   * Makes an artifact fit for this server that came here by a restore, or whose folder was moved: its owner's user may have
   * another id, and its scripts may name their old place. Idempotent; nothing of the artifact may run.
   * @param formerFolder Absolute; what paths of artifacts were relative to. Undefined when nobody knows.
   * @throws BerthError `not_found` when it is not there.
   */
  adopt(artifact: Artifact, formerFolder: string | undefined): Promise<void>;
  /** Deletes what a build made. Idempotent. */
  remove(artifact: Artifact): Promise<void>;
  /**
   * Deletes every artifact and archive that is in neither list: what a crash left behind. What is being received or built
   * now stays; an archive that was received and is in no record yet does not, so call it before taking requests.
   */
  collect(keep: { readonly artifacts: readonly Artifact[]; readonly archives: readonly string[] }): Promise<void>;
  /**
   * Deletes every cache, and artifacts and archives that nothing needs, beside running builds, whose own caches stay. Archives
   * stay for a day: one is received before it is in a record.
   */
  prune(options: PruneOptions): Promise<readonly Pruned[]>;
  /** Which kinds of project this machine can build. */
  capabilities(): Promise<readonly Capability[]>;
}
