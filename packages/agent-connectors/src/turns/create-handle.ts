import { ReadableStream } from 'node:stream/web';
import type { ConnectorHandle, Outbound } from '@berth/agent-core';
import type { ConnectorCaller } from '../connector/caller.ts';
import type { Connector } from '../connector/connector.ts';
import type { Grants } from '../connector/grants.ts';
import { NotConnected } from '../connector/not-connected.ts';
import { callApi } from '../fetch/call-api.ts';

/** Handle with which the owner's tools call their connector's API. */
export interface HandleDeps {
  readonly grants: Grants;
  readonly outbound: Outbound;
}

/**
 * Returns the handle of a tool's connector. Calls follow the rules of `/connectors/{name}/fetch/`: a tool gets the
 * response and never the credential.
 */
export function createHandle(
  deps: HandleDeps,
  connector: Connector,
  caller: ConnectorCaller,
  signal: AbortSignal,
): ConnectorHandle {
  return {
    name: connector.name,
    async fetch(target, { method = 'GET', headers = {}, body } = {}) {
      const grant = await deps.grants.open(caller, connector);
      if (!grant) throw new NotConnected(connector);
      const [, path = '', , query] = /^([^?]*)(\?(.*))?$/s.exec(target) ?? [];
      const answer = await callApi(deps, {
        connector,
        grant,
        method,
        path,
        query,
        signal,
        headers: new Headers(headers),
        body: typeof body === 'string' ? Buffer.from(body) : body,
      });
      if (answer.status === 401 && connector.auth.type !== 'none') {
        answer.discard();
        throw new NotConnected(connector);
      }
      const bytes = answer.body && (ReadableStream.from(answer.body) as BodyInit);
      return new Response(bytes ?? null, { status: answer.status, headers: answer.headers });
    },
  };
}
