import { openTestAgent, type TestAgent } from '@berth/agent/testing';
import type { ConnectorRow } from '@berth/contract/agent';
import { createFakeClock, createRecordingLogger, type FakeClock } from '@berth/testkit';
import { key } from '../../declare/key.ts';
import { mcp } from '../../declare/mcp.ts';
import { oauth } from '../../declare/oauth.ts';
import { openTestProvider, type TestProvider } from './test-provider.ts';

/** A started authorization. */
export interface Begun {
  readonly status: number;
  readonly url: URL;
  readonly cookie: string;
  readonly detail?: string;
}

type Headers = Readonly<Record<string, string>>;

/**
 * A provider, and an agent with connectors to it: `notes` and `minutes`, MCP servers; `crm`, `own` (scope `user`) and
 * `shared` (scope `workspace`) with endpoints and a client that the owner declared; `faq`, which takes a key.
 */
export interface ConsentFixture extends AsyncDisposable {
  readonly provider: TestProvider;
  readonly agent: TestAgent;
  readonly clock: FakeClock;
  /** Lines of the agent's log. */
  readonly lines: readonly string[];
  begin(token: string, name: string, query?: string, headers?: Headers): Promise<Begun>;
  /** Consents at the provider. Returns the path and query of the redirect. */
  consent(begun: Pick<Begun, 'url'>): Promise<string>;
  back(path: string, headers?: Headers, token?: string): Promise<Response>;
  /** Returns the connector's row in the directory of the user with `token`. */
  row(token: string, name: string, headers?: Headers): Promise<ConnectorRow | undefined>;
}

/** Starts the fixture. */
export async function openConsentAgent(environment: Readonly<Record<string, string>> = {}): Promise<ConsentFixture> {
  const clock = createFakeClock();
  const lines: string[] = [];
  const metadata = { client_id_metadata_document_supported: true };
  const provider = await openTestProvider({ clients: { known: 'hush' }, metadata });
  const { url } = provider;
  const rest = {
    authorizationUrl: `${url}/authorize?tenant=1`,
    tokenUrl: `${url}/token`,
    revocationUrl: `${url}/revoke`,
    clientId: 'known',
    clientSecret: 'hush',
    api: `${url}/api`,
  };
  const agent = await openTestAgent({
    connectors: [
      mcp({ name: 'notes', title: 'Notes <3', url: provider.resource, auth: 'oauth' }),
      mcp({ name: 'minutes', url: provider.resource, auth: 'oauth' }),
      oauth({ name: 'crm', ...rest, scopes: ['read', 'write'], authorizationParameters: { access_type: 'offline' } }),
      oauth({ name: 'own', ...rest, scope: 'user' }),
      oauth({ name: 'shared', ...rest, scope: 'workspace' }),
      key({ name: 'faq', api: 'https://faq.example' }),
    ],
    clock,
    logger: createRecordingLogger(lines),
    workspaces: 'member',
    title: 'Helper',
    environment,
    outbound: { allowedNetworks: ['127.0.0.1/32'] },
  });
  return {
    provider,
    agent,
    clock,
    lines,
    async begin(token, name, query = '', headers = {}) {
      const response = await agent.call(token, 'POST', `/connectors/${name}/authorize${query}`, undefined, headers);
      const body = (await response.json()) as { url?: string; detail?: string };
      const cookie = response.headers.get('set-cookie') ?? '';
      const { status } = response;
      return { status, url: new URL(body.url ?? 'none:'), cookie, ...(body.detail && { detail: body.detail }) };
    },
    async consent(begun) {
      const { pathname, search } = new URL(await provider.consent(begun.url.href));
      return pathname + search;
    },
    back: (path, headers = {}, token = undefined) => agent.call(token, 'GET', path, undefined, headers),
    async row(token, name, headers = {}) {
      const response = await agent.call(token, 'GET', '/connectors', undefined, headers);
      return ((await response.json()) as ConnectorRow[]).find((one) => one.name === name);
    },
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}
