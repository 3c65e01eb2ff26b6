import type { Readable } from 'node:stream';

/** Identifies a volume: the unit that is listed, measured, mounted and removed. */
export interface VolumePlace {
  readonly account: string;
  /**
   * Never reused within an account, so that a new volume does not find the objects of a deleted one of the same name.
   */
  readonly storageId: string;
}

/** An object. */
export interface StoredObject {
  /** Relative path, in the form of `parseObjectPath` of `@berth/contract`. */
  readonly path: string;
  readonly sizeBytes: number;
  /** Milliseconds since the epoch, by the store's wall clock. */
  readonly updatedAtMs: number;
  /** A strong validator, with its quotes (RFC 9110, 8.8.3). */
  readonly etag: string;
}

/** Checks on the uploaded bytes. */
export interface ExpectedBytes {
  readonly sizeBytes?: number | undefined;
  /** Digests of 16 and 32 bytes. */
  readonly md5?: Buffer | undefined;
  readonly sha256?: Buffer | undefined;
}

/** A condition on the object that the new one replaces. */
export interface Precondition {
  /** There must be no object (`If-None-Match: *`). */
  readonly isAbsent?: boolean;
  /** There must be an object with one of these tags, or, with `*`, any object (`If-Match`). */
  readonly etags?: '*' | readonly string[];
}

export interface PutOptions extends ExpectedBytes {
  readonly precondition?: Precondition | undefined;
  /** The memory of the body's chunks may be freed once they are stored: nothing else reads them. Default false. */
  readonly isBodyOwned?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface PutResult {
  readonly object: StoredObject;
  /** Size of the replaced object; undefined when there was none. */
  readonly replacedBytes: number | undefined;
}

/** First and last byte, both inclusive. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** An open object. All of its reads are of the same version, or fail. */
export interface OpenObject extends AsyncDisposable {
  readonly object: StoredObject;
  /** Reads the whole object, or a range within it. Reads must not overlap. */
  read(range?: ByteRange): Readable;
  /**
   * As {@link read}, at less than half the cost: the memory of a piece is reused when the promise that `take` returned
   * for it settles. Absent when the store does not support it.
   */
  readonly eachPiece?: (take: (piece: Uint8Array) => Promise<void>, range?: ByteRange) => Promise<void>;
}

export interface ListOptions {
  /** Only paths that start with this. */
  readonly prefix?: string | undefined;
  /** Only paths that come after this. */
  readonly after?: string | undefined;
  /** Maximum objects and folders, at least 1. */
  readonly limit: number;
}

export interface ObjectList {
  /** Sorted by the UTF-8 bytes of their paths. */
  readonly objects: readonly StoredObject[];
  readonly isTruncated: boolean;
}

export interface FolderList extends ObjectList {
  /** Paths of the folders among the objects, each with its `/`, sorted by their UTF-8 bytes. Each has objects in it. */
  readonly folders: readonly string[];
}

export interface VolumeSize {
  readonly sizeBytes: number;
  readonly objectCount: number;
}

/**
 * Stores objects in volumes. Drivers expect checked places and paths. A volume comes into being with its first object.
 * Every method may throw `unavailable` when the store does not respond.
 */
export interface ObjectStore {
  /** `fs` or `s3`. */
  readonly name: string;
  /**
   * Stores an object, in constant memory. When it resolves, all of it is on disk; when it rejects, nothing has changed.
   * The last of two concurrent writers to finish wins.
   * @throws BerthError `bad_request` when the bytes are not the expected ones; `precondition_failed`; `conflict` when
   * the path leads through an object or names a folder; `insufficient_storage`; the errors of `body` and of the signal.
   */
  put(place: VolumePlace, path: string, body: Readable, options?: PutOptions): Promise<PutResult>;
  /** As {@link put}, for a small object whose bytes are in memory. Absent when a stream costs no more. */
  readonly putBytes?: (
    place: VolumePlace,
    path: string,
    bytes: Uint8Array,
    options?: ExpectedBytes & Pick<PutOptions, 'precondition'>,
  ) => Promise<PutResult>;
  find(place: VolumePlace, path: string): Promise<StoredObject | undefined>;
  /** Opens an object; undefined when there is none. The caller closes it. */
  open(place: VolumePlace, path: string): Promise<OpenObject | undefined>;
  /** Lists objects. Memory does not grow with their number. */
  list(place: VolumePlace, options: ListOptions): Promise<ObjectList>;
  /**
   * Lists the direct children of a prefix, at a cost that does not grow with what their folders hold. Continues after
   * the last child when `after` is its path, with the `/` of a folder.
   */
  listFolder(place: VolumePlace, options: ListOptions): Promise<FolderList>;
  /** Deletes an object and returns it; undefined when there was none. */
  delete(place: VolumePlace, path: string): Promise<StoredObject | undefined>;
  /** Copies an object, as {@link put}. @throws BerthError `not_found`, and as `put` */
  copy(place: VolumePlace, from: string, to: string): Promise<PutResult>;
  /**
   * Moves an object to another path. A store without an atomic move copies and then deletes: the object is always
   * complete at one of the paths, and repeating an interrupted move completes it.
   * @throws BerthError `not_found`; `precondition_failed` when `isAbsent` is set and another object is there;
   * `conflict` as `put`
   */
  move(place: VolumePlace, from: string, to: string, options?: Pick<Precondition, 'isAbsent'>): Promise<PutResult>;
  /**
   * Moves a folder in one step; both paths end in `/`, and `to` is not inside `from`. Returns false, without a change,
   * when `from` does not exist or `to` does. Absent: objects are moved one by one.
   * @throws BerthError `conflict` when `to` leads through an object
   */
  readonly moveFolder?: (place: VolumePlace, from: string, to: string) => Promise<boolean>;
  /** Counts all objects and their bytes. @throws the signal's reason */
  measure(place: VolumePlace, options?: { readonly signal?: AbortSignal }): Promise<VolumeSize>;
  /** Removes a volume and everything in it. Idempotent. */
  removeVolume(place: VolumePlace): Promise<void>;
  /** Absent when the store has no resumable uploads of its own. */
  readonly uploads?: PartialUploads;
  /** Absent when volumes can't be mounted. */
  readonly folders?: VolumeFolders;
  /** Absent when bytes go through Berth's storage listener. */
  readonly presign?: (request: PresignRequest) => Promise<string>;
  /** Idempotent. */
  close(): Promise<void>;
}

/** Resumable uploads. Unfinished ones are removed after a day. */
export interface PartialUploads {
  /** @throws BerthError `insufficient_storage` when `sizeBytes` would not fit. */
  begin(place: VolumePlace, path: string, sizeBytes: number): Promise<PartialUpload>;
  find(id: string): Promise<PartialUpload | undefined>;
  /**
   * Appends `body`. Bytes that arrived before a failure are kept.
   * @throws BerthError `conflict` when `offset` is not the upload's offset, or another request is writing;
   * `insufficient_storage`; the errors of `body`.
   */
  append(id: string, offset: number, body: Readable): Promise<PartialUpload>;
  /** Turns a complete upload into an object. @throws as {@link ObjectStore.put} */
  finish(id: string): Promise<PutResult>;
  /** Idempotent. */
  abort(id: string): Promise<void>;
}

export interface PartialUpload {
  readonly id: string;
  readonly place: VolumePlace;
  readonly path: string;
  readonly sizeBytes: number;
  /** Bytes received. */
  readonly offset: number;
  /** Milliseconds since the epoch, by the wall clock. */
  readonly createdAtMs: number;
}

/** Volumes as folders of this machine, where files are objects and objects are files. */
export interface VolumeFolders {
  /**
   * Returns the absolute path of a folder of a volume, and creates it when missing. An empty `subPath` is the volume's
   * root.
   * @throws BerthError `start_failed` when the path leads through something that is not a folder.
   */
  ensure(place: VolumePlace, subPath: string): Promise<string>;
  /** Returns the path of a volume below the store's folder, which other machines may see elsewhere. */
  pathOf(place: VolumePlace): string;
}

export interface PresignRequest {
  readonly method: 'GET' | 'PUT';
  readonly place: VolumePlace;
  readonly path: string;
  readonly expiresInSeconds: number;
}
