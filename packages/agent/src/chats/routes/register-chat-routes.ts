import type { AgentApp } from '@berth/agent-core';
import type { ChatRouteDeps } from './chat-route.ts';
import { registerDeleteChat } from './delete-chat.ts';
import { registerDeleteLastExchange } from './delete-last-exchange.ts';
import { registerExportChat } from './export-chat.ts';
import { registerGetChat } from './get-chat.ts';
import { registerListChats } from './list-chats.ts';
import { registerListFeedback } from './list-feedback.ts';
import { registerPutChat } from './put-chat.ts';
import { registerPutFeedback } from './put-feedback.ts';
import { registerShowVersion } from './show-version.ts';

/** Registers the routes of stored chats, for agents with `auth`. */
export function registerChatRoutes(app: AgentApp, deps: ChatRouteDeps): void {
  registerListChats(app, deps);
  registerGetChat(app, deps);
  registerPutChat(app, deps);
  registerDeleteChat(app, deps);
  registerDeleteLastExchange(app, deps);
  registerShowVersion(app, deps);
  registerExportChat(app, deps);
  registerPutFeedback(app, deps);
  registerListFeedback(app, deps);
}
