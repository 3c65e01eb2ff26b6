import type {
  CreatedVolume,
  DeletedVolume,
  Message,
  MovedObject,
  MoveObjectRequest,
  ObjectsPage,
  SignedUrl,
  UploadRequest,
  Volume,
} from '@berth/contract';
import type { CallOptions, Transport } from './transport.ts';

export interface ObjectsQuery {
  readonly volume: string;
  /** Only paths that start with it. */
  readonly prefix?: string | undefined;
  /** `next_page_token` of the page before. */
  readonly pageToken?: string | undefined;
  /** From 1 to 1,000, which is what it is when absent. */
  readonly limit?: number | undefined;
  /** `/`: what lies directly under the prefix, and the folders there. */
  readonly delimiter?: '/' | undefined;
}

/** Volumes and the objects in them. Bytes go past the API: to and from signed URLs. */
export interface VolumeCalls {
  createVolume(name: string, options?: CallOptions): Promise<CreatedVolume>;
  listVolumes(options?: CallOptions): Promise<Volume[]>;
  /** It can be restored for 7 days. @throws `not_found`, `conflict` while it is attached */
  deleteVolume(name: string, options?: CallOptions): Promise<Message>;
  /** @throws `not_found`, `conflict` when the name is taken */
  restoreVolume(name: string, options?: CallOptions): Promise<Message>;
  /** What {@link restoreVolume} brings back, the one that was deleted last first. */
  listDeletedVolumes(options?: CallOptions): Promise<DeletedVolume[]>;
  /** In the order of the bytes of their paths. @throws `not_found` */
  listObjects(query: ObjectsQuery, options?: CallOptions): Promise<ObjectsPage>;
  /** Where an object's bytes go. @throws `not_found`; `not_available` where uploads can't be resumed */
  signUpload(request: UploadRequest, options?: CallOptions): Promise<SignedUrl>;
  /** Where an object's bytes are. @throws `not_found` */
  signDownload(volume: string, object: string, options?: CallOptions): Promise<SignedUrl>;
  /** @throws `not_found` */
  deleteObject(volume: string, path: string, options?: CallOptions): Promise<Message>;
  /**
   * Gives an object, or a folder with its `/`, another path; resolves when all of it is there.
   * @throws `not_found`; `conflict` that names what is there, and `overwrite` is not true
   */
  moveObject(request: MoveObjectRequest, options?: CallOptions): Promise<Message>;
}

export function createVolumeCalls(transport: Transport): VolumeCalls {
  // All but the deletions may be repeated: what they make is the same, or is a URL.
  const post = <Answer>(path: string, body: unknown, { signal }: CallOptions = {}, isIdempotent = true) =>
    transport.json<Answer>({ method: 'POST', path, body, signal, isIdempotent });
  return {
    createVolume: (name, options) => post('/v1/volume/create', { name }, options),
    listVolumes: ({ signal } = {}) => transport.json({ method: 'GET', path: '/v1/volume/list', signal }),
    deleteVolume: (name, options) => post('/v1/volume/delete', { name }, options, false),
    restoreVolume: (name, options) => post('/v1/volume/restore', { name }, options, false),
    listDeletedVolumes: ({ signal } = {}) => transport.json({ method: 'GET', path: '/v1/volume/deleted', signal }),
    listObjects({ volume, prefix, pageToken, limit, delimiter }, { signal } = {}) {
      const query = new URLSearchParams({ volume });
      if (prefix) query.set('prefix', prefix);
      if (pageToken !== undefined) query.set('page_token', pageToken);
      if (limit !== undefined) query.set('limit', String(limit));
      if (delimiter !== undefined) query.set('delimiter', delimiter);
      return transport.json({ method: 'GET', path: `/v1/volume/objects?${query}`, signal });
    },
    signUpload: (request, options) => post('/v1/volume/upload', request, options),
    signDownload: (volume, object, options) => post('/v1/volume/download', { volume, object }, options),
    async moveObject(request, options) {
      for (;;) {
        const { detail, complete } = await post<MovedObject>('/v1/volume/move-object', request, options, false);
        if (complete) return { detail };
      }
    },
    deleteObject: (volume, path, options) => post('/v1/volume/delete-object', { volume, path }, options, false),
  };
}
