import type { WorkspacePath } from '@berth/agent-core';
import type { SharedMessage } from '@berth/contract/agent';
import { workspacePathOf } from './workspace-path-of.ts';

/** What becomes of the files that a message names. Each is given the path of a file of the workspace. */
export interface FileRewriter {
  /** For `path` of an attachment; undefined leaves it out. */
  attachment(path: WorkspacePath): { readonly path: string; readonly url: string } | undefined;
  /** For an image or a file that a person put into a message. */
  input(path: WorkspacePath): string;
  /** For pictures and links. */
  link(path: WorkspacePath): string;
}

/** The target of a markdown link or picture. */
const MARKDOWN_TARGET = /(\]\(\s*)(?:<([^<>\n]*)>|([^\s()<>]+))/g;

/** The message with every file that it names written anew. */
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

/** The files of the workspace that the messages name, each once, in order. */
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
    // The text of an answer repeats its parts, code among them.
    rewriteFiles(message.parts ? { ...message, content: '' } : message, collector);
  }
  return [...paths];
}
