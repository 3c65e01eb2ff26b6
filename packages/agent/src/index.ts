export type { Agent, Listening, ListenOptions } from './define/agent.ts';
export type { AgentOptions } from './define/agent-options.ts';
export type { AuthContext, Authenticator, AuthProvider } from './define/authenticator.ts';
export type { Component, HandlerItem } from './define/component.ts';
export { callout, code, image, sources, status, step, table, thinking, ui } from './define/components.ts';
export { defineAgent } from './define/define-agent.ts';
export type { Handler, HandlerContext, TurnOptions, Usage, Workspace } from './define/handler-context.ts';
export { type OwnerKey, ownerKey, type User } from './define/user.ts';
