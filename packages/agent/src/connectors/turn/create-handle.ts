import { ReadableStream } from 'node:stream/web';
import { BerthError } from '@berth/kit';
import type { Outbound } from '../../outbound/create-outbound.ts';
import type { ConnectorHandle } from '../../tools/connector-handle.ts';
import { ToolError } from '../../tools/tool.ts';
import type { ConnectorCaller } from '../caller.ts';
import type { Connector } from '../connector.ts';
import { apiAddress } from '../fetch/api-address.ts';
import { maskSecrets } from '../fetch/mask-secrets.ts';
import type { Grant, Grants } from '../grants.ts';
import { NotConnected } from '../not-connected.ts';

export interface HandleMakerDeps {
  readonly grants: Pick<Grants, 'open' | 'reportRejected'>;
  readonly outbound: Outbound;
}

/** Makes what the owner's own tools call their connector's API with. */
export interface HandleMaker {
  make(connector: Connector, caller: ConnectorCaller, signal: AbortSignal): ConnectorHandle;
}

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 20_000_000;

export function createHandleMaker({ grants, outbound }: HandleMakerDeps): HandleMaker {
  return {
    make(connector, caller, signal) {
      const fetch = outbound.fetchWith({ timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, signal });
      return {
        name: connector.name,
        async fetch(path, { method = 'GET', headers = {}, body } = {}) {
          const ask = async (grant: Grant) => {
            const url = addressOf(connector, grant, path);
            const sent = new Headers({ ...connector.api?.headers, ...headers });
            grant.authorize(url, sent);
            const content = body === undefined ? {} : { body: body as BodyInit };
            return fetch(url, { method, headers: sent, ...content, redirect: 'manual' });
          };
          const grant = await grants.open(caller, connector);
          if (!grant) throw new NotConnected(connector);
          const response = await ask(grant);
          if (response.status !== 401 || connector.auth.type === 'none') return masked(response, grant);
          await response.body?.cancel();
          const renewed = await grants.reportRejected(connector, grant);
          const second = renewed && (await ask(renewed));
          if (renewed && second && second.status !== 401) return masked(second, renewed);
          await second?.body?.cancel();
          throw new NotConnected(connector);
        },
      };
    },
  };
}

/** What a far end echoes of the credential is not seen: what a tool is answered, a model is told. */
function masked({ status, headers, body }: Response, { scrub, secrets }: Grant): Response {
  const shown = new Headers([...headers].map(([name, value]) => [name, scrub(value)]));
  const bytes = body && (ReadableStream.from(maskSecrets(body, secrets)) as BodyInit);
  return new Response(bytes, { status, headers: shown });
}

/** @throws ToolError */
function addressOf({ title, api }: Connector, { endpoint }: Grant, path: string): URL {
  const base = endpoint ?? api?.baseUrl;
  if (base === undefined) throw new ToolError(`${title} has no API: declare it with \`api\`.`);
  const [, rawPath = '', , rawQuery] = /^([^?]*)(\?(.*))?$/s.exec(path) ?? [];
  try {
    return apiAddress(base, rawPath, rawQuery);
  } catch (error) {
    if (BerthError.is(error)) throw new ToolError(error.message);
    throw error;
  }
}
