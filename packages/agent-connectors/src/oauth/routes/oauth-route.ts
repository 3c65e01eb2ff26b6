import type { RouteGuard } from '@berth/agent-core';
import type { Connector } from '../../connector/connector.ts';
import type { AgentAddress } from '../agent-address.ts';
import type { Authorizations, AuthorizationsDeps } from '../create-authorizations.ts';

/** Dependencies of the OAuth routes. */
export interface OAuthRouteDeps extends RouteGuard, Pick<AuthorizationsDeps, 'directory' | 'grants' | 'secrets'> {
  readonly declared: readonly Connector[];
  readonly agentTitle: string;
  readonly address: AgentAddress;
  readonly authorizations: Authorizations;
}
