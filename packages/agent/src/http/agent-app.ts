import type { HttpVariables } from '@berth/http';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { OwnerKey, User } from '../define/user.ts';

/** What every handler finds in its context. */
export interface AgentEnv {
  Variables: HttpVariables & {
    /** Set behind `requireUser`, and behind `allowAnonymous` when somebody signed in. */
    user: User | undefined;
    /** The user's key, or `ANONYMOUS`; behind the same. */
    owner: OwnerKey;
  };
}

/** The HTTP application that routes are registered on. */
export type AgentApp = OpenAPIHono<AgentEnv>;

export type AgentAppContext = Context<AgentEnv>;
