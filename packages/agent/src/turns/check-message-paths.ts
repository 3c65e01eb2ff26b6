import { parseWorkspacePath } from '@berth/agent-core';
import type { ChatMessage } from '@berth/contract/agent';

/**
 * Refuses messages that name files outside the workspace, before anything is stored.
 * @throws `forbidden` or `invalid`, as every route with a path does.
 */
export function checkMessagePaths(messages: readonly ChatMessage[]): void {
  for (const [index, { content, attachments = [] }] of messages.entries()) {
    const at = ['body', 'messages', String(index)];
    for (const { path } of attachments) parseWorkspacePath(path, [...at, 'attachments']);
    if (typeof content === 'string') continue;
    for (const part of content) {
      if (part.type === 'image') parseWorkspacePath(part.image, [...at, 'content']);
      if (part.type === 'file') parseWorkspacePath(part.file, [...at, 'content']);
    }
  }
}
