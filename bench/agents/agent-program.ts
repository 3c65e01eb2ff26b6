// An agent as it is deployed, in a process of its own: `node agent-program.ts SETTINGS`, JSON; prints its address.
import { chatCompletions, defineAgent, key, mcp, oidc } from '@berth/agent';
import { type PacedTurn, pacedMoments } from './pace.ts';

/** What the agent is to be. */
export interface AgentProgramSettings {
  readonly dataFolder: string;
  readonly issuer: string;
  /** Public keys of the tokens that it takes. */
  readonly jwks: { readonly keys: Record<string, unknown>[] };
  /** Who may make teams; without it there are none. */
  readonly workspaces?: 'member' | 'admin';
  /** So many connectors of this MCP server. */
  readonly connectors?: { readonly count: number; readonly url: string };
  /** Base address of an API that a connector `api` has a key of. */
  readonly api?: string;
  /** Answers with this model's server; without it turns are {@link PacedTurn}s. */
  readonly upstream?: string;
}

const settings = JSON.parse(process.argv[2] ?? '') as AgentProgramSettings;

const agent = defineAgent({
  name: 'measured',
  dataFolder: settings.dataFolder,
  // Room for a file of 1 GiB.
  maxUploadMb: 2_048,
  ...(settings.workspaces && { workspaces: settings.workspaces }),
  ...(settings.connectors && {
    connectors: Array.from({ length: settings.connectors.count }, (_, index) =>
      mcp({ name: `connector-${index}`, title: `Connector ${index}`, url: settings.connectors?.url ?? '' }),
    ),
    outbound: { allowedNetworks: ['127.0.0.1/32'] },
  }),
  ...(settings.api !== undefined && {
    connectors: [key({ name: 'api', title: 'API', api: settings.api })],
    outbound: { allowedNetworks: ['127.0.0.1/32'] },
  }),
  auth: oidc({ issuer: settings.issuer, jwks: settings.jwks, audience: 'measured' }),
  ...(settings.upstream === undefined
    ? {
        async *handler({ messages, signal }) {
          const turn = JSON.parse(String(messages.at(-1)?.content)) as PacedTurn;
          for await (const dueMicros of pacedMoments(turn)) {
            if (signal.aborted) return;
            yield turn.isRows ? { type: 'table', row: [String(dueMicros)] } : `${dueMicros} `;
          }
        },
      }
    : { model: chatCompletions({ baseUrl: settings.upstream, model: 'scripted' }) }),
});
const { url } = await agent.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`${url}\n`);
