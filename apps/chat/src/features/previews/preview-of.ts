import type { FileEntry } from '@berth/contract/agent';

/** The kind of preview of a file. `office` files are converted to PDF, `slides` to images; `none` has no preview. */
export type Preview =
  | { readonly kind: 'image' | 'audio' | 'video' | 'pdf' | 'office' | 'slides' | 'markdown' | 'csv' | 'none' }
  | { readonly kind: 'code'; readonly language: string };

/** Maximum size of a previewed file, in bytes; a larger one can only be downloaded. */
const MAX_BYTES = { text: 1024 ** 2, media: 64 * 1024 ** 2 } as const;

const LANGUAGES: Readonly<Record<string, string>> = {
  ...{ cjs: 'javascript', js: 'javascript', jsx: 'javascript', mjs: 'javascript' },
  ...{ htm: 'xml', html: 'xml', svg: 'xml', py: 'python', rb: 'ruby', rs: 'rust', sh: 'bash' },
  ...{ ts: 'typescript', tsx: 'typescript', yml: 'yaml', jsonl: 'json', ndjson: 'json' },
};

/** Returns the kind of preview for a file, by its name, kind and size in bytes. */
export function previewOf({ name, kind, size }: Pick<FileEntry, 'name' | 'kind' | 'size'>): Preview {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  if (['csv', 'tsv'].includes(extension)) return size > MAX_BYTES.text ? { kind: 'none' } : { kind: 'csv' };
  switch (kind) {
    // The server may give an SVG the kind `image` or `text`; in an `img` its scripts do not run.
    case 'image':
    case 'audio':
    case 'video':
    case 'pdf':
      return { kind: size > MAX_BYTES.media ? 'none' : kind };
    case 'document':
    case 'spreadsheet':
      return { kind: size > MAX_BYTES.media ? 'none' : 'office' };
    case 'presentation':
      return { kind: size > MAX_BYTES.media ? 'none' : 'slides' };
    case 'code':
    case 'text':
      if (size > MAX_BYTES.text) return { kind: 'none' };
      if (['md', 'markdown', 'mdx'].includes(extension)) return { kind: 'markdown' };
      return { kind: 'code', language: LANGUAGES[extension] ?? extension };
    default:
      return { kind: 'none' };
  }
}
