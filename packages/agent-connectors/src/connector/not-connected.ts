import { type Component, callout, ToolError } from '@berth/agent-core';
import type { GrantScope, UiFrame } from '@berth/contract/agent';
import type { Connector } from './connector.ts';

/** The content of a `connect` card. */
export interface ConnectRequest {
  readonly connector: string;
  readonly scope: GrantScope;
  readonly title: string;
}

/** The error of a call to a connector that isn't connected, no longer connected, or connected with too few scopes. */
export class NotConnected extends ToolError {
  readonly request: ConnectRequest;

  constructor(connector: Pick<Connector, 'name' | 'scope' | 'title'>) {
    super(`${connector.title} is not connected. The person is being asked to connect it.`);
    this.request = connectRequest(connector);
  }
}

/** Returns the content of the `connect` card for a connector. */
export function connectRequest({ name, scope, title }: Pick<Connector, 'name' | 'scope' | 'title'>): ConnectRequest {
  return { connector: name, scope: scope === 'workspace' ? 'workspace' : 'user', title };
}

/** Returns the `connect` card for `request`. Source: docs/contract/agent-api.md §2, `ui`. */
export function connectCard(request: ConnectRequest): UiFrame {
  return { type: 'ui', action: 'connect', ...request };
}

/**
 * Returns the `connect` card after a line of text, for the end of a turn. The text remains when the card is gone, and
 * in clients without cards.
 */
export function connectToGoOn(request: ConnectRequest): readonly Component[] {
  return [callout(`Connect ${request.title} to continue.`, 'info'), connectCard(request)];
}
