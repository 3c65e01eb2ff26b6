import { randomBytes } from 'node:crypto';
import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { BerthError } from '@berth/kit';
import type { VolumePlace } from '../object-store.ts';
import { isBeingWritten } from '../writer-watch.ts';
import { isNotFound, translateS3Error } from './translate-s3-error.ts';

/** A part of the multipart upload. */
export interface UploadPart {
  readonly number: number;
  readonly etag: string;
}

/** Everything that is known of a resumable upload, kept as one object in the bucket. */
export interface UploadState {
  readonly place: VolumePlace;
  readonly path: string;
  readonly sizeBytes: number;
  readonly createdAtMs: number;
  /** The id of the multipart upload that becomes the object. */
  readonly uploadId: string;
  readonly parts: readonly UploadPart[];
  /** Number of the next part. */
  readonly nextPart: number;
  /** Bytes in the parts. */
  readonly partBytes: number;
  /** Received bytes that are too few for a part, in an object of their own. */
  readonly tail: { readonly key: string; readonly sizeBytes: number } | null;
  /** The request that is writing; null when none is. */
  readonly writer: string | null;
  /** Rises with every change, so that two states never have the same bytes, and so the same tag. */
  readonly version: number;
}

/** A state, and the tag by which it is replaced. */
export interface ReadState {
  readonly state: UploadState;
  readonly etag: string;
}

/** Options of {@link createUploadStates}. */
export interface UploadStatesOptions {
  readonly client: S3Client;
  readonly bucket: string;
  /** Prefix of the keys of states and tails. */
  readonly prefix: string;
}

const ID = /^[0-9a-f]{32}$/;

/** Creates the store of upload states. A state is replaced only by who read its last version. */
export function createUploadStates({ client, bucket, prefix }: UploadStatesOptions) {
  const keyOf = (id: string) => ({ Bucket: bucket, Key: `${prefix}${id}.json` });
  const write = async (id: string, state: UploadState, condition: { IfMatch: string } | { IfNoneMatch: '*' }) => {
    const { ETag = '' } = await client.send(
      new PutObjectCommand({
        ...keyOf(id),
        ...condition,
        Body: JSON.stringify(state),
        ContentType: 'application/json',
      }),
    );
    return ETag;
  };
  return {
    newId: () => randomBytes(16).toString('hex'),
    /** Returns a new key for a tail. */
    tailKey: (id: string) => `${prefix}${id}.${randomBytes(8).toString('hex')}.tail`,
    create: (id: string, state: UploadState) => write(id, state, { IfNoneMatch: '*' }),
    async read(id: string): Promise<ReadState | undefined> {
      if (!ID.test(id)) return undefined;
      try {
        const { Body: body, ETag: etag = '' } = await client.send(new GetObjectCommand(keyOf(id)));
        const state = JSON.parse((await body?.transformToString()) ?? '') as UploadState;
        return { state, etag };
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw translateS3Error(error);
      }
    },
    /**
     * Replaces a state and returns the new tag.
     * @throws BerthError `conflict` when another request replaced it
     */
    async replace(id: string, { state, etag }: ReadState, changes: Partial<UploadState>): Promise<ReadState> {
      const next = { ...state, ...changes, version: state.version + 1 };
      try {
        return { state: next, etag: await write(id, next, { IfMatch: etag }) };
      } catch (error) {
        const translated = translateS3Error(error);
        if (isNotFound(error) || BerthError.is(translated, 'precondition_failed')) throw isBeingWritten();
        throw translated;
      }
    },
  };
}
