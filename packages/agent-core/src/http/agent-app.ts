import type { OwnerKey } from '@berth/agent-store';
import type { HttpVariables } from '@berth/http';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { User } from '../identity/user.ts';
import type { ActiveWorkspace } from '../identity/workspace-access.ts';

/** The variables in the context of every route's handler. */
export interface AgentEnv {
  Variables: HttpVariables & {
    /** Set by `requireUser`, and by `allowAnonymous` for callers who signed in. */
    user: User | undefined;
    /** The owner of chats, shares and settings: the user's key inside the workspace, or `ANONYMOUS`. Set by the same. */
    owner: OwnerKey;
    /** The owner of files, trash, apps and shared connections. Set by the same. */
    workspace: ActiveWorkspace;
  };
}

/** The HTTP application that features register their routes on. */
export type AgentApp = OpenAPIHono<AgentEnv>;

/** The context of one request. */
export type AgentAppContext = Context<AgentEnv>;
