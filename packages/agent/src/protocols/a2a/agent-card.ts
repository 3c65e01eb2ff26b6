import type { AgentCard } from '@a2a-js/sdk';
import type { ProtocolDeps } from '../turn/protocol-turn.ts';

/** Version of the protocol. Source: the A2A specification 1.0. */
const A2A_VERSION = '1.0';

/** Version of the agent as far as other agents see it: its skill, and the form of its answers. */
const VERSION = '1.0.0';

/** Name of the security scheme in the card. */
const SCHEME = 'bearer';

/** Returns how the agent describes itself to other agents. @param origin of the agent, without a trailing slash. */
export function agentCard(
  { agentName, agentTitle, agentDescription = `Asks the agent ${agentTitle}.`, authenticator }: ProtocolDeps,
  origin: string,
): AgentCard {
  const issuer = authenticator?.issuer;
  const text = ['text/plain', 'text/markdown'];
  return {
    name: agentTitle,
    description: agentDescription,
    supportedInterfaces: [
      { url: `${origin}/a2a`, protocolBinding: 'JSONRPC', tenant: '', protocolVersion: A2A_VERSION },
    ],
    provider: undefined,
    version: VERSION,
    capabilities: { streaming: true, pushNotifications: authenticator !== undefined, extensions: [] },
    securitySchemes: authenticator
      ? {
          [SCHEME]: {
            scheme:
              issuer === undefined
                ? {
                    $case: 'httpAuthSecurityScheme',
                    value: { scheme: 'Bearer', bearerFormat: '', description: 'A token of this agent' },
                  }
                : {
                    $case: 'openIdConnectSecurityScheme',
                    value: {
                      openIdConnectUrl: `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
                      description: 'An access token for this agent, sent as Authorization: Bearer TOKEN',
                    },
                  },
          },
        }
      : {},
    securityRequirements: authenticator ? [{ schemes: { [SCHEME]: { list: [] } } }] : [],
    defaultInputModes: text,
    defaultOutputModes: ['text/markdown'],
    skills: [
      {
        id: agentName,
        name: agentTitle,
        description: agentDescription,
        tags: ['chat'],
        examples: [],
        inputModes: text,
        outputModes: ['text/markdown'],
        securityRequirements: [],
      },
    ],
    signatures: [],
    iconUrl: `${origin}/favicon.svg`,
  };
}
