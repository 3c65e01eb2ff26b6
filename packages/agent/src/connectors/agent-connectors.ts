import type { Connector } from './connector.ts';
import type { ConnectorDirectory } from './connector-directory.ts';
import type { CredentialVault, Grants } from './grants.ts';
import type { ConnectorLists } from './mcp/create-connector-lists.ts';
import type { WantedScopes } from './oauth/wanted-scopes.ts';
import type { SecretRing } from './secret-ring.ts';
import type { OpenConnectorTurns } from './turn/create-connector-turns.ts';

/** The connectors of an open agent. */
export interface AgentConnectors {
  /** As the owner declared them. */
  readonly declared: readonly Connector[];
  readonly directory: ConnectorDirectory;
  readonly grants: Grants;
  readonly vault: CredentialVault;
  readonly secrets: SecretRing;
  readonly wantedScopes: WantedScopes;
  /** What servers have. */
  readonly lists: ConnectorLists;
  readonly turns: OpenConnectorTurns;
}
