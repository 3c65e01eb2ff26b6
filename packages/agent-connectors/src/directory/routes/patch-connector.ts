import { type AgentApp, routesOf } from '@berth/agent-core';
import type { ConnectorSwitch, SwitchLevel } from '@berth/agent-store';
import { createError } from '@berth/contract';
import { patchConnectorSchema } from '@berth/contract/agent';
import { jsonBody } from '@berth/http';
import { callerOf } from '../../connector/caller.ts';
import { isOrgAdmin, levelsOf } from '../create-connector-directory.ts';
import { changed, changedResponse, connectorParams, type DirectoryRouteDeps } from './connector-route.ts';

/** Registers `PATCH /connectors/{name}`. */
export function registerPatchConnector(app: AgentApp, deps: DirectoryRouteDeps): void {
  const route = routesOf(app, deps, 'Connectors');
  const { directory } = deps;
  const { connectorSwitches } = deps.stores;
  route('PATCH /connectors/{name}', 'patchConnector', {
    access: 'user',
    errors: ['forbidden', 'not_found'],
    summary: 'Switch a connector on or off',
    description:
      '`on` for yourself, `enabled` for the workspace by its managers, `allowed` for the organization by its admins.',
    request: { params: connectorParams, body: jsonBody(patchConnectorSchema) },
    responses: { 200: changedResponse },
  }).handle(async (c) => {
    const caller = callerOf(c);
    const { connector, isAdmin } = await directory.get(caller, c.req.valid('param').name);
    const { on, enabled, allowed } = c.req.valid('json');
    if (allowed !== undefined && !isOrgAdmin(caller)) {
      throw createError('forbidden', 'Only admins of the organization can change what it allows.');
    }
    if (enabled !== undefined && !isAdmin) {
      throw createError('forbidden', 'Only owners and admins of the workspace can change its connectors.');
    }
    const wanted: Readonly<Record<SwitchLevel, boolean | undefined>> = {
      org: allowed,
      workspace: enabled,
      person: on,
    };
    const changes = levelsOf(caller).flatMap(({ level, owner }): ConnectorSwitch[] => {
      const isOn = wanted[level];
      return isOn === undefined ? [] : [{ level, owner, connector: connector.name, isOn }];
    });
    for (const change of changes) await connectorSwitches.set(change);
    return c.json(await changed(deps, caller, connector.name), 200);
  });
}
