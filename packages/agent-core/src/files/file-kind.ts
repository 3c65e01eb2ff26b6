import path from 'node:path';
import type { FileKind } from '@berth/contract/agent';
import { getMimeType } from 'hono/utils/mime';

const EXTENSIONS: Readonly<Record<Exclude<FileKind, 'directory' | 'other'>, string>> = {
  image: 'png jpg jpeg gif webp avif svg bmp ico tif tiff heic',
  video: 'mp4 webm mov mkv avi mpeg m4v ogv',
  audio: 'mp3 wav ogg oga opus m4a flac aac weba mid',
  pdf: 'pdf',
  document: 'doc docx odt rtf epub pages',
  spreadsheet: 'xls xlsx ods csv tsv numbers parquet',
  presentation: 'ppt pptx odp key',
  archive: 'zip gz tgz tar bz2 xz 7z rar zst',
  code: 'js mjs cjs ts mts cts jsx tsx py rb go rs java kt c h cc cpp hpp cs php swift sh bash sql html css scss json yaml yml toml xml ipynb vue svelte lua r jl tf',
  text: 'txt md markdown log ini conf env rst tex srt vtt',
};

const KINDS = new Map<string, FileKind>(
  Object.entries(EXTENSIONS).flatMap(([kind, names]) =>
    names.split(' ').map((name) => [name, kind as FileKind] as const),
  ),
);

/** Returns the kind of a file, by its extension. */
export function fileKind(name: string): FileKind {
  return KINDS.get(extensionOf(name)) ?? 'other';
}

/** Media types missing from Hono's table. Source: IANA media types. */
const MORE_TYPES: Readonly<Record<string, string>> = {
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  doc: 'application/msword',
  xls: 'application/vnd.ms-excel',
  ppt: 'application/vnd.ms-powerpoint',
  odt: 'application/vnd.oasis.opendocument.text',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odp: 'application/vnd.oasis.opendocument.presentation',
  md: 'text/markdown; charset=utf-8',
};

/** Returns the media type a file is served with; code and text as `text/plain`, which browsers show. */
export function mediaType(name: string): string {
  const known = MORE_TYPES[extensionOf(name)] ?? getMimeType(name);
  if (known !== undefined)
    return known.startsWith('text/') && !known.includes('charset') ? `${known}; charset=utf-8` : known;
  return ['code', 'text'].includes(fileKind(name)) ? 'text/plain; charset=utf-8' : 'application/octet-stream';
}

function extensionOf(name: string): string {
  return path.extname(name).slice(1).toLowerCase();
}
