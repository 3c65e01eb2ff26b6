import type { AgentApp } from '../http/agent-app.ts';
import type { AgentDeps } from '../http/agent-deps.ts';
import { registerDeleteChat } from './routes/delete-chat.ts';
import { registerDeleteLastExchange } from './routes/delete-last-exchange.ts';
import { registerGetChat } from './routes/get-chat.ts';
import { registerListChats } from './routes/list-chats.ts';
import { registerPutChat } from './routes/put-chat.ts';

/** The stored chats of a user. For agents with `auth`. */
export function registerChatsRoutes(app: AgentApp, deps: AgentDeps): void {
  registerListChats(app, deps);
  registerGetChat(app, deps);
  registerPutChat(app, deps);
  registerDeleteChat(app, deps);
  registerDeleteLastExchange(app, deps);
}
