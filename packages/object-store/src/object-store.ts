import type { Readable } from 'node:stream';

/** The bytes of one volume: the unit that is listed, measured, mounted and removed. */
export interface VolumePlace {
  readonly account: string;
  /** Never given twice to one account, so that a new volume does not find what a deleted one of its name held. */
  readonly storageId: string;
}

/** An object as it is now. */
export interface StoredObject {
  /** Relative, as `parseObjectPath` of `@berth/contract` reads it. */
  readonly path: string;
  readonly sizeBytes: number;
  /** Epoch milliseconds, wall clock of the store. */
  readonly updatedAtMs: number;
  /** A strong validator with its quotes (RFC 9110, 8.8.3). */
  readonly etag: string;
}

/** What the bytes must come to. */
export interface ExpectedBytes {
  readonly sizeBytes?: number | undefined;
  /** Digests of 16 and 32 bytes. */
  readonly md5?: Buffer | undefined;
  readonly sha256?: Buffer | undefined;
}

/** What must be true of the object that is there, or isn't, when the new one takes its place. */
export interface Precondition {
  /** Nothing may be there (`If-None-Match: *`). */
  readonly isAbsent?: boolean;
  /** What is there has one of these, or, with `*`, something is there (`If-Match`). */
  readonly etags?: '*' | readonly string[];
}

export interface PutOptions extends ExpectedBytes {
  readonly precondition?: Precondition | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface PutResult {
  readonly object: StoredObject;
  /** Size of the object it took the place of; undefined when there was none. */
  readonly replacedBytes: number | undefined;
}

/** First and last byte, both included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** An object that is open: all of its reads are of the same version, or fail. */
export interface OpenObject extends AsyncDisposable {
  readonly object: StoredObject;
  /** The whole of it, or a range that lies inside; one read at a time. */
  read(range?: ByteRange): Readable;
  /**
   * As {@link read}, at less than half its cost: the memory of a piece is used again once what `take` answered for it has
   * settled. Absent: the store has no such way.
   */
  readonly eachPiece?: (take: (piece: Uint8Array) => Promise<void>, range?: ByteRange) => Promise<void>;
}

export interface ListOptions {
  /** Only paths that start with it. */
  readonly prefix?: string;
  /** Only paths that come after it. */
  readonly after?: string | undefined;
  /** At least 1. */
  readonly limit: number;
}

export interface ObjectList {
  /** In the order of the bytes of their paths in UTF-8. */
  readonly objects: readonly StoredObject[];
  readonly isTruncated: boolean;
}

export interface VolumeSize {
  readonly sizeBytes: number;
  readonly objectCount: number;
}

/**
 * Where objects are kept. Drivers take places and paths as checked; they make no volumes: the first object of a place
 * makes it. Every method may throw `unavailable`, when the store does not answer.
 */
export interface ObjectStore {
  /** `fs`, `s3`. */
  readonly name: string;
  /**
   * Stores what `body` brings; memory stays flat. All of it is there and on the disk when this resolves, or, whatever
   * goes wrong, nothing has changed. Of two writers of one path the last that ends wins.
   * @throws BerthError `bad_request` when the bytes are not the expected ones; `precondition_failed`; `conflict` when the
   *   path leads through an object or names a folder; `insufficient_storage`; and what `body` or the signal says.
   */
  put(place: VolumePlace, path: string, body: Readable, options?: PutOptions): Promise<PutResult>;
  find(place: VolumePlace, path: string): Promise<StoredObject | undefined>;
  /** Undefined when there is no such object. Whoever opens it closes it. */
  open(place: VolumePlace, path: string): Promise<OpenObject | undefined>;
  /** Memory does not grow with the number of objects. */
  list(place: VolumePlace, options: ListOptions): Promise<ObjectList>;
  /** What was deleted; undefined when there was nothing. */
  delete(place: VolumePlace, path: string): Promise<StoredObject | undefined>;
  /** As {@link put} of what `from` holds. @throws BerthError `not_found`, and as `put` */
  copy(place: VolumePlace, from: string, to: string): Promise<PutResult>;
  /**
   * Gives an object another path. A store without such a step copies and then deletes: whatever happens, the object is
   * whole under one of its paths at least, and a move that broke off is completed by the same move once more.
   * @throws BerthError `not_found`; `precondition_failed` when `isAbsent` and another object is there; `conflict` as `put`
   */
  move(place: VolumePlace, from: string, to: string, options?: Pick<Precondition, 'isAbsent'>): Promise<PutResult>;
  /**
   * Gives a folder another path in one step; both end in `/`, and `to` is not inside of `from`. False, and nothing has
   * changed, when there is no such folder, or `to` is there already. Absent: objects are moved one by one.
   * @throws BerthError `conflict` when `to` leads through an object
   */
  readonly moveFolder?: (place: VolumePlace, from: string, to: string) => Promise<boolean>;
  /** Counts all objects. @throws the signal's reason */
  measure(place: VolumePlace, options?: { readonly signal?: AbortSignal }): Promise<VolumeSize>;
  /** Removes a volume with all it holds. Idempotent. */
  removeVolume(place: VolumePlace): Promise<void>;
  /** Absent: the store has no uploads in parts of its own. */
  readonly uploads?: PartialUploads;
  /** Absent: volumes can't be mounted. */
  readonly folders?: VolumeFolders;
  /** Absent: bytes go over Berth's storage listener. */
  readonly presign?: (request: PresignRequest) => Promise<string>;
  /** Idempotent. */
  close(): Promise<void>;
}

/** Uploads that go on where they broke off. What was not finished for a day is collected. */
export interface PartialUploads {
  /** @throws BerthError `insufficient_storage` when `sizeBytes` would not fit. */
  begin(place: VolumePlace, path: string, sizeBytes: number): Promise<PartialUpload>;
  find(id: string): Promise<PartialUpload | undefined>;
  /**
   * Adds what `body` brings; what came before it broke off is kept.
   * @throws BerthError `conflict` when `offset` is not where the upload stands or somebody else is writing;
   *   `insufficient_storage`; what `body` says.
   */
  append(id: string, offset: number, body: Readable): Promise<PartialUpload>;
  /** Puts a complete upload in its place. @throws as {@link ObjectStore.put} */
  finish(id: string): Promise<PutResult>;
  /** Idempotent. */
  abort(id: string): Promise<void>;
}

export interface PartialUpload {
  readonly id: string;
  readonly place: VolumePlace;
  readonly path: string;
  readonly sizeBytes: number;
  /** Bytes that are kept. */
  readonly offset: number;
  /** Epoch milliseconds, wall clock. */
  readonly createdAtMs: number;
}

/** Volumes as folders of this machine: what is written to one is an object, and the other way. */
export interface VolumeFolders {
  /**
   * Absolute path of a folder of a volume, made when missing; an empty `subPath` is the volume's root.
   * @throws BerthError `start_failed` when the way leads over something that is no folder.
   */
  ensure(place: VolumePlace, subPath: string): Promise<string>;
}

export interface PresignRequest {
  readonly method: 'GET' | 'PUT';
  readonly place: VolumePlace;
  readonly path: string;
  readonly expiresInSeconds: number;
}
