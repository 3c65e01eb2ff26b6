import { parseWorkspacePath, type WorkspacePath } from '@berth/agent-core';
import type { SharedMessage } from '@berth/contract/agent';

/** Callbacks that replace the workspace files referenced by a message. Each gets the path of one file. */
export interface FileRewriter {
  /** Returns the new path and URL of an attachment; undefined drops the attachment. */
  attachment(path: WorkspacePath): { readonly path: string; readonly url: string } | undefined;
  /** Returns the new reference of an image or a file in a user's message. */
  input(path: WorkspacePath): string;
  /** Returns the new target of an image or a link in text. */
  link(path: WorkspacePath): string;
}

/** Matches the target of a Markdown link or image. */
const MARKDOWN_TARGET = /(\]\(\s*)(?:<([^<>\n]*)>|([^\s()<>]+))/g;

/** Returns the message with each reference to a workspace file replaced by the rewriter's. */
export function rewriteFiles(message: SharedMessage, rewriter: FileRewriter): SharedMessage {
  const reference = (text: string) => {
    const path = workspacePathOf(text);
    return path === undefined ? text : rewriter.link(path);
  };
  const markdown = (text: string) =>
    text.replaceAll(MARKDOWN_TARGET, (whole, before: string, bracketed?: string, plain?: string) => {
      const target = bracketed ?? plain ?? '';
      const written = reference(target);
      return written === target ? whole : `${before}${written.includes(' ') ? `<${written}>` : written}`;
    });
  const part = (value: Record<string, unknown>): Record<string, unknown> => {
    switch (value['type']) {
      case 'text':
        return { ...value, text: markdown(String(value['text'])) };
      case 'image':
        return 'src' in value
          ? { ...value, src: reference(String(value['src'])) }
          : { ...value, image: input(String(value['image'])) };
      case 'file':
        return { ...value, file: input(String(value['file'])) };
      default:
        return value;
    }
  };
  const input = (text: string) => {
    const path = workspacePathOf(text);
    return path === undefined ? text : rewriter.input(path);
  };
  const attachments = message.attachments?.flatMap((attachment) => {
    const path = workspacePathOf(attachment.path);
    const written = path === undefined ? undefined : rewriter.attachment(path);
    return written ? [{ ...attachment, ...written }] : [];
  });
  return {
    role: message.role,
    content: typeof message.content === 'string' ? markdown(message.content) : message.content.map(part),
    ...(message.parts ? { parts: message.parts.map(part) } : {}),
    ...(attachments ? { attachments } : {}),
  };
}

/** Returns the workspace files that the messages reference, without duplicates, in order of first reference. */
export function namedFiles(messages: readonly SharedMessage[]): readonly WorkspacePath[] {
  const paths = new Set<WorkspacePath>();
  const note = (path: WorkspacePath) => {
    paths.add(path);
    return path;
  };
  const collector: FileRewriter = {
    attachment: (path) => ({ path: note(path), url: '' }),
    input: note,
    link: note,
  };
  for (const message of messages) {
    // The content of an assistant message repeats its parts, including code, where a link isn't a reference.
    rewriteFiles(message.parts ? { ...message, content: '' } : message, collector);
  }
  return [...paths];
}

const FILES_PREFIX = '/files/';

/**
 * Returns the workspace file that the `src` of an image or the target of a link references, either as `/files/<path>` or
 * as a relative path. Returns undefined for other addresses and for invalid paths.
 */
function workspacePathOf(reference: string): WorkspacePath | undefined {
  const text = reference.trim().replace(/[?#].*$/s, '');
  if (text.startsWith(FILES_PREFIX)) return parse(text.slice(FILES_PREFIX.length));
  // Empty, a URL with a scheme, or an absolute path outside `/files/`.
  if (text === '' || /^(?:[a-z][a-z\d+.-]*:|[/\\])/i.test(text)) return undefined;
  return parse(text.replace(/^\.\//, ''));
}

/** Returns the URL path of a workspace file, which {@link workspacePathOf} parses. */
export function fileUrl(path: string): string {
  return FILES_PREFIX + encodePath(path);
}

/** Percent-encodes each segment of `path` and keeps its slashes. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

function parse(encoded: string): WorkspacePath | undefined {
  try {
    return parseWorkspacePath(decode(encoded));
  } catch {
    return undefined;
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // The name contains a literal %.
    return text;
  }
}
