import type { FileEntry } from '@berth/contract/agent';

/** How a file is shown: its bytes as a picture, sound or film, its pages or slides, its text, or not at all. */
export type Preview =
  | { readonly kind: 'image' | 'audio' | 'video' | 'pdf' | 'office' | 'slides' | 'markdown' | 'csv' | 'none' }
  | { readonly kind: 'code'; readonly language: string };

/** Larger ones are offered to be downloaded. */
const MAX_BYTES = { text: 1024 ** 2, media: 64 * 1024 ** 2 } as const;

const LANGUAGES: Readonly<Record<string, string>> = {
  ...{ cjs: 'javascript', js: 'javascript', jsx: 'javascript', mjs: 'javascript' },
  ...{ htm: 'xml', html: 'xml', svg: 'xml', py: 'python', rb: 'ruby', rs: 'rust', sh: 'bash' },
  ...{ ts: 'typescript', tsx: 'typescript', yml: 'yaml', jsonl: 'json', ndjson: 'json' },
};

export function previewOf({ name, kind, size }: Pick<FileEntry, 'name' | 'kind' | 'size'>): Preview {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  if (['csv', 'tsv'].includes(extension)) return size > MAX_BYTES.text ? { kind: 'none' } : { kind: 'csv' };
  switch (kind) {
    // An SVG may be text to the server: only as a picture it runs nothing.
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
