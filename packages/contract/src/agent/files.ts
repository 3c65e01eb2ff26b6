import { z } from '@hono/zod-openapi';
import { flagSchema } from './flag.ts';

/** The kinds of files, which determine how the page shows them. */
export const FILE_KINDS = [
  'directory',
  'image',
  'video',
  'audio',
  'pdf',
  'document',
  'spreadsheet',
  'presentation',
  'archive',
  'code',
  'text',
  'other',
] as const;

export type FileKind = (typeof FILE_KINDS)[number];

/** A file or folder of a workspace. Source: docs/contract/agent-api.md §5. */
export const fileEntrySchema = z
  .object({
    name: z.string(),
    path: z
      .string()
      .openapi({ description: 'Relative to the workspace, without a slash in front', example: 'a/b.txt' }),
    type: z.enum(['file', 'directory']),
    size: z.int().openapi({ description: 'Bytes; 0 of a directory' }),
    modified: z.iso.datetime(),
    kind: z.enum(FILE_KINDS),
  })
  .openapi('FileEntry');

export type FileEntry = z.infer<typeof fileEntrySchema>;

const FILE_ORDERS = ['name', 'size', 'modified', 'type'] as const;

/** Query of `GET /files`. */
export const listFilesQuerySchema = z.object({
  path: z.string().default('').openapi({ description: 'The folder; the workspace itself by default' }),
  /** Any other value means `name`; `type` is the kind of file. */
  sort: z
    .enum(FILE_ORDERS)
    .catch('name')
    .default('name')
    .openapi({ type: 'string', enum: [...FILE_ORDERS] }),
  desc: flagSchema.optional(),
  search: z
    .string()
    .max(200)
    .optional()
    .openapi({ description: 'Only names that contain this text, at any depth; at most 12' }),
  recursive: flagSchema.optional().openapi({ description: 'Entries at any depth; at most 2,000' }),
});

export type ListFilesQuery = z.infer<typeof listFilesQuerySchema>;

/** Query of `GET /files/{path}`. */
export const readFileQuerySchema = z.object({
  download: flagSchema.optional().openapi({ description: 'As an attachment' }),
  preview: flagSchema
    .optional()
    .openapi({ description: 'HTML, SVG and XML to be shown, in a sandbox without scripts' }),
  as: z.enum(['pdf', 'slides']).optional().openapi({ description: 'For office files; needs a render service' }),
});

/** Response of `PUT /files/{path}` and `POST /trash/{id}/restore`. */
export const storedPathSchema = z.object({ ok: z.literal(true), path: z.string() }).openapi('StoredPath');

/** Response of `POST /files-batch/{path}`. */
export const storedFilesSchema = z
  .object({
    ok: z.literal(true),
    files: z.int().openapi({ description: 'How many were stored' }),
    paths: z.array(z.string()),
  })
  .openapi('StoredFiles');

/** Body of `PATCH /files/{path}`. */
export const moveFileSchema = z.object({ to: z.string().min(1) }).openapi('MoveFile');

/** Response of `DELETE /files/{path}`. */
export const trashedFileSchema = z
  .object({ ok: z.literal(true), trash_id: z.string(), kind: z.enum(['file', 'dir', 'app']) })
  .openapi('TrashedFile');

/** A row of `GET /trash`. */
export const trashItemSchema = z
  .object({
    id: z.string(),
    path: z.string().openapi({ description: 'Original path, or the title of a chat' }),
    kind: z.enum(['file', 'dir', 'app', 'chat']),
    by: z.enum(['user', 'agent']),
    deleted_at: z.iso.datetime(),
    reason: z.string(),
  })
  .openapi('TrashItem');

export type TrashItem = z.infer<typeof trashItemSchema>;
