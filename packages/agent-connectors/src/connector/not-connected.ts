import { ToolError } from '@berth/agent-core';
import type { GrantScope } from '@berth/contract/agent';
import type { Connector } from './connector.ts';

/** Asks the person to connect: what a `connect` card says. */
export interface ConnectRequest {
  readonly connector: string;
  readonly scope: GrantScope;
  readonly title: string;
}

/** A connector was needed and is not connected, or not any more, or not with the rights it takes. */
export class NotConnected extends ToolError {
  readonly request: ConnectRequest;

  constructor(connector: Pick<Connector, 'name' | 'scope' | 'title'>) {
    super(`${connector.title} is not connected. The person is asked to connect it.`);
    this.request = connectRequest(connector);
  }
}

export function connectRequest({ name, scope, title }: Pick<Connector, 'name' | 'scope' | 'title'>): ConnectRequest {
  return { connector: name, scope: scope === 'workspace' ? 'workspace' : 'user', title };
}
