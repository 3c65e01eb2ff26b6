import { ToolError } from '@berth/agent-core';
import type { GrantScope } from '@berth/contract/agent';
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
    super(`${connector.title} is not connected. The person is asked to connect it.`);
    this.request = connectRequest(connector);
  }
}

/** Returns the content of the `connect` card for a connector. */
export function connectRequest({ name, scope, title }: Pick<Connector, 'name' | 'scope' | 'title'>): ConnectRequest {
  return { connector: name, scope: scope === 'workspace' ? 'workspace' : 'user', title };
}
