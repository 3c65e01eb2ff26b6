import { z } from '@hono/zod-openapi';
import { parseObjectPath } from './object-path.ts';
import { VOLUME_NAME_PATTERN } from './volume-mounts.ts';

/** A row of `GET /v1/volume/list`. Source: docs/contract/control-plane.md §5. */
export const volumeSchema = z
  .object({
    name: z.string(),
    attached_to: z.array(z.string()).openapi({ description: 'Names of the deployments that mount it' }),
    created_at: z.iso.datetime(),
    size_bytes: z.int(),
    object_count: z.int(),
  })
  .openapi('Volume');

export type Volume = z.infer<typeof volumeSchema>;

/** Body of `POST /v1/volume/create`. */
export const createVolumeRequestSchema = z
  .object({
    name: z.string().regex(VOLUME_NAME_PATTERN, {
      error: 'must have 1 to 63 of a-z, 0-9, "-" and "_", and start with a letter or digit',
    }),
  })
  .openapi('CreateVolumeRequest');

export type CreateVolumeRequest = z.input<typeof createVolumeRequestSchema>;

/** Response of `POST /v1/volume/create`. `created` is false when the volume already existed. */
export const createdVolumeSchema = z.object({ name: z.string(), created: z.boolean() }).openapi('CreatedVolume');

export type CreatedVolume = z.infer<typeof createdVolumeSchema>;

/** A row of `GET /v1/volume/deleted`: a deleted volume, which `POST /v1/volume/restore` restores. */
export const deletedVolumeSchema = z
  .object({
    name: z.string(),
    created_at: z.iso.datetime(),
    deleted_at: z.iso.datetime(),
    restorable_until: z.iso.datetime().openapi({ description: 'Time of permanent removal' }),
    size_bytes: z.int(),
    object_count: z.int(),
  })
  .openapi('DeletedVolume');

export type DeletedVolume = z.infer<typeof deletedVolumeSchema>;

/** Body of `POST /v1/volume/delete` and `/v1/volume/restore`. */
export const volumeRequestSchema = z.object({ name: z.string() }).openapi('VolumeRequest');

export type VolumeRequest = z.input<typeof volumeRequestSchema>;

/** Query of `GET /v1/volume/objects`. */
export const listObjectsQuerySchema = z.object({
  volume: z.string(),
  prefix: z.string().default('').openapi({ description: 'Only paths with this prefix; a folder ends in "/"' }),
  page_token: z.string().optional().openapi({ description: '`next_page_token` of the previous page' }),
  limit: z.coerce.number().int().min(1).max(1_000).default(1_000),
  delimiter: z
    .literal('/')
    .optional()
    .openapi({ description: 'Answers what lies directly under the prefix, and `folders` in place of what those hold' }),
});

/** A page of a volume's objects, sorted by the bytes of their paths. */
export const objectsPageSchema = z
  .object({
    objects: z.array(z.object({ path: z.string(), size: z.int(), updated: z.iso.datetime() })),
    folders: z
      .array(z.string())
      .optional()
      .openapi({ description: 'With `delimiter`: paths of the folders that begin on this page, each with its "/"' }),
    next_page_token: z.string().nullable(),
  })
  .openapi('ObjectsPage');

export type ObjectsPage = z.infer<typeof objectsPageSchema>;

const objectPathSchema = z.string().transform((text, context) => {
  const result = parseObjectPath(text);
  if ('path' in result) return result.path;
  context.addIssue({ code: 'custom', message: result.problem, params: { type: 'path_invalid' } });
  return z.NEVER;
});

const objectOrPath = {
  volume: z.string(),
  object: objectPathSchema.optional().openapi({ type: 'string', description: 'Path inside the volume; required' }),
  path: objectPathSchema.optional().openapi({ type: 'string', description: 'Another name of `object`' }),
};

interface ObjectOrPath {
  readonly object?: string | undefined;
  readonly path?: string | undefined;
}

function requireOne({ object, path }: ObjectOrPath, context: z.RefinementCtx): void {
  const fault = (message: string, type: string) =>
    context.addIssue({ code: 'custom', path: ['object'], message, params: { type } });
  if (object === undefined && path === undefined) fault('Field required', 'missing');
  else if (object !== undefined && path !== undefined && object !== path) fault('differs from path', 'contradiction');
}

/** Body of `POST /v1/volume/upload`. */
export const uploadRequestSchema = z
  .object({
    ...objectOrPath,
    resumable: z.boolean().default(false).openapi({
      description: 'true: the URL accepts a tus 1.0 creation (POST) instead of one PUT, for resumable uploads',
    }),
  })
  .superRefine(requireOne)
  .openapi('UploadRequest');

export type UploadRequest = z.input<typeof uploadRequestSchema>;

/** Body of `POST /v1/volume/download`. */
export const downloadRequestSchema = z.object(objectOrPath).superRefine(requireOne).openapi('DownloadRequest');

export type DownloadRequest = z.input<typeof downloadRequestSchema>;

/** Returns the path of a validated request, from either of its two fields. */
export function objectPathOf({ object, path }: ObjectOrPath): string {
  const named = object ?? path;
  if (named === undefined) throw new Error('the request was not validated');
  return named;
}

/** A signed URL for a transfer. The signature in the URL is its only credential. */
export const signedUrlSchema = z
  .object({
    url: z.string(),
    method: z.enum(['PUT', 'GET', 'POST']),
    expires_at: z.iso.datetime().openapi({ description: 'The transfer must start before this time' }),
  })
  .openapi('SignedUrl');

export type SignedUrl = z.infer<typeof signedUrlSchema>;

/** Body of `POST /v1/volume/delete-object`. */
export const deleteObjectRequestSchema = z
  .object({ volume: z.string(), path: objectPathSchema.openapi({ type: 'string' }) })
  .openapi('DeleteObjectRequest');

export type DeleteObjectRequest = z.input<typeof deleteObjectRequestSchema>;

/** The path of an object, or of a folder with its trailing `/`, which is kept. */
const objectOrFolderSchema = z.string().transform((text, context) => {
  const slash = text.endsWith('/') ? '/' : '';
  const result = parseObjectPath(text.slice(0, text.length - slash.length));
  if ('path' in result) return result.path + slash;
  context.addIssue({ code: 'custom', message: result.problem, params: { type: 'path_invalid' } });
  return z.NEVER;
});

/** Body of `POST /v1/volume/move-object`. */
export const moveObjectRequestSchema = z
  .object({
    volume: z.string(),
    from: objectOrFolderSchema.openapi({ type: 'string', description: 'Path of an object; a folder ends in "/"' }),
    to: objectOrFolderSchema.openapi({
      type: 'string',
      description: 'New path; ends in "/" for a folder',
    }),
    overwrite: z.boolean().default(false).openapi({ description: 'true: replaces existing objects' }),
  })
  .superRefine(({ from, to }, context) => {
    const fault = (message: string) =>
      context.addIssue({ code: 'custom', path: ['to'], message, params: { type: 'target_invalid' } });
    if (from.endsWith('/') !== to.endsWith('/')) fault('must end in "/" if and only if "from" does');
    else if (from === to) fault('is the current path');
    else if (from.endsWith('/') && to.startsWith(from)) fault('is inside the folder itself');
  })
  .openapi('MoveObjectRequest');

export type MoveObjectRequest = z.input<typeof moveObjectRequestSchema>;

/** Response of `POST /v1/volume/move-object`. */
export const movedObjectSchema = z
  .object({
    detail: z.string(),
    complete: z.boolean().openapi({
      description: 'false: a large folder is only partly moved; send the same request again',
    }),
  })
  .openapi('MovedObject');

export type MovedObject = z.infer<typeof movedObjectSchema>;
