import type { OwnerKey } from '@berth/agent-store';
import type { HttpVariables } from '@berth/http';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { ActiveWorkspace } from '../identity/active-workspace.ts';
import type { User } from '../identity/user.ts';

/** What every handler finds in its context. */
export interface AgentEnv {
  Variables: HttpVariables & {
    /** Set behind `requireUser`, and behind `allowAnonymous` when somebody signed in. */
    user: User | undefined;
    /** Whose chats, shares and settings: the user's key inside of the workspace, or `ANONYMOUS`; behind the same. */
    owner: OwnerKey;
    /** Whose files, trash, apps and shared connections; behind the same. */
    workspace: ActiveWorkspace;
  };
}

/** The HTTP application that routes are registered on. */
export type AgentApp = OpenAPIHono<AgentEnv>;

export type AgentAppContext = Context<AgentEnv>;
