import { type AgentApp, routesOf } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { putConnectorKeySchema } from '@berth/contract/agent';
import { jsonBody } from '@berth/http';
import { callerOf } from '../../connector/caller.ts';
import { defaultScope } from '../../credentials/slots-of.ts';
import { parseKey } from '../parse-key.ts';
import { probeKey } from '../probe-key.ts';
import { changed, changedResponse, connectorParams, type DirectoryRouteDeps } from './connector-route.ts';

/** Registers `PUT /connectors/{name}/key`. */
export function registerPutKey(app: AgentApp, deps: DirectoryRouteDeps): void {
  const route = routesOf(app, deps, 'Connectors');
  const { directory, grants, outbound } = deps;
  route('PUT /connectors/{name}/key', 'putConnectorKey', {
    access: 'user',
    errors: ['bad_request', 'forbidden', 'not_found'],
    bodyBytes: 16_384,
    summary: 'Connect with a key',
    description:
      'The key is stored encrypted and never shown again. Some connectors also need a URL, and some verify the key.',
    request: { params: connectorParams, body: jsonBody(putConnectorKeySchema) },
    responses: { 200: changedResponse },
  }).handle(async (c) => {
    const caller = callerOf(c);
    const { connector } = await directory.get(caller, c.req.valid('param').name);
    const { auth, title, name } = connector;
    if (auth.type !== 'key') {
      const how = auth.type === 'none' ? 'needs no connection' : `is connected by POST /connectors/${name}/authorize`;
      throw createError('bad_request', `${title} does not use a key: it ${how}.`);
    }
    const body = c.req.valid('json');
    const scope = body.scope ?? defaultScope(connector);
    grants.ownerOf(caller, connector, scope);
    const credential = parseKey(body, connector, auth);
    await probeKey(outbound, connector, auth, credential);
    await grants.put(caller, connector, scope, credential);
    return c.json(await changed(deps, caller, name), 200);
  });
}
