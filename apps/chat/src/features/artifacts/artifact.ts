import { decodeEntities } from '../markdown/state/decode-entities.ts';

/** A page or a component that an agent wrote, which runs in a frame beside the chat. */
export interface Artifact {
  readonly kind: 'html' | 'react';
  /** Identifies the artifact across its versions: its file path, or its kind and title. */
  readonly key: string;
  /** The title of the document, the name of the component or the name of the file; '' for none. */
  readonly title: string;
  readonly code: string;
}

/** Least number of characters of an artifact in a code block; a shorter one is an example to read. */
const MIN_CHARACTERS = 200;
const DOCUMENT = /^\s*(?:<!doctype html|<html)/i;
const LONGEST_START = '<!doctype html'.length;

/**
 * Returns the artifact that a code block holds, undefined for code to read, and `pending` while too little of a growing block
 * is known to tell.
 */
export function findArtifact(
  language: string | undefined,
  code: string,
  isLive = false,
): Artifact | 'pending' | undefined {
  const kind = kindOf(language);
  if (kind === undefined) return undefined;
  if (!isLive && code.length < MIN_CHARACTERS) return undefined;
  if (kind === 'html') {
    if (isLive && code.trimStart().length < LONGEST_START && !code.includes('\n')) return 'pending';
    return DOCUMENT.test(code) ? artifactOf(kind, code) : undefined;
  }
  return /^export default\b/m.test(code) ? artifactOf(kind, code) : undefined;
}

/** Returns the artifact of a file; undefined for other kinds of files. */
export function findFileArtifact(path: string, code: string): Artifact | undefined {
  const kind = kindOf(/\.(\w+)$/.exec(path)?.[1]);
  return kind && { kind, key: `file:${path}`, title: titleOf(kind, code) || (path.split('/').pop() ?? path), code };
}

function kindOf(language: string | undefined): Artifact['kind'] | undefined {
  switch (language?.toLowerCase()) {
    case 'html':
    case 'htm':
      return 'html';
    case 'jsx':
    case 'tsx':
      return 'react';
    default:
      return undefined;
  }
}

function artifactOf(kind: Artifact['kind'], code: string): Artifact {
  const title = titleOf(kind, code);
  return { kind, key: `${kind}:${title}`, title, code };
}

function titleOf(kind: Artifact['kind'], code: string): string {
  if (kind === 'html') {
    const title = /<title[^>]*>([^<]*)</i.exec(code)?.[1] ?? /<h1[^>]*>([^<]*)</i.exec(code)?.[1] ?? '';
    return decodeEntities(title).replaceAll(/\s+/g, ' ').trim().slice(0, MAX_TITLE);
  }
  const name = /^export default (?:async )?(?:function|class)\s+(\w+)|^export default (\w+)\s*;?\s*$/m.exec(code);
  const words = (name?.[1] ?? name?.[2] ?? '').replaceAll(/([a-z\d])([A-Z])/g, '$1 $2');
  return words.charAt(0) + words.slice(1).toLowerCase();
}

const MAX_TITLE = 100;

/** Returns the name under which an artifact is downloaded. */
export function fileNameOf({ kind, key, title }: Artifact): string {
  if (key.startsWith('file:')) return key.slice(key.lastIndexOf('/') + 1).replace(/^file:/, '');
  const name = title
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')
    .toLowerCase();
  return `${name || 'artifact'}.${kind === 'html' ? 'html' : 'jsx'}`;
}
