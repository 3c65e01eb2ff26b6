import type { Client } from '@berth/client';
import { openArchive } from '@berth/client/node';
import type { DeployEvent } from '@berth/contract';
import { BerthError, describeError } from '@berth/kit';
import type { Context } from '../command/context.ts';
import { cleanText } from '../output/clean-text.ts';
import { type Change, describeChange } from './change.ts';
import type { Plan } from './make-plan.ts';
import type { PreparedService } from './prepare-service.ts';
import type { Platform } from './read-platform.ts';

/** Counts of the changes of an apply. */
export interface Applied {
  readonly applied: number;
  readonly failed: number;
}

/** The parts that {@link applyPlan} works with. */
export interface ApplyDeps {
  readonly client: Client;
  readonly services: readonly PreparedService[];
  readonly findValue: Platform['findValue'];
  readonly context: Pick<Context, 'output' | 'signal'>;
}

/**
 * Makes the changes of a plan, one after another. After a failure, the other changes of the same service are skipped, and so is every
 * deletion; other services go on. The next apply does what is left.
 */
export async function applyPlan({ changes, compared }: Plan, deps: ApplyDeps): Promise<Applied> {
  const { output, signal } = deps.context;
  const count = { applied: 0, failed: 0 };
  const failedServices = new Set<string>();
  const attempt = async (change: Change, work: () => Promise<string | undefined>) => {
    const service = 'service' in change ? change.service : undefined;
    if ((service !== undefined && failedServices.has(service)) || (isRemoval(change) && count.failed > 0)) {
      output.json({ ...change, result: 'skipped' });
      output.say(`Skipped: ${cleanText(describeChange(change).text)}`);
      return;
    }
    try {
      const detail = await work();
      if (detail === undefined) return;
      count.applied++;
      output.json({ ...change, result: 'done', detail });
      output.print(cleanText(detail));
    } catch (error) {
      signal.throwIfAborted();
      count.failed++;
      if (service !== undefined) failedServices.add(service);
      const message = cleanText(BerthError.is(error) ? error.message : describeError(error));
      output.json({ ...change, result: 'failed', error: message });
      if (!output.isJson)
        output.fail({ code: 'apply_failed', message: `${cleanText(describeChange(change).text)}: ${message}` });
    }
  };
  for (const { service, keys } of compared) {
    const change: Change = { action: 'set_variables', service, keys };
    await attempt(change, () => setVariables(service, keys, deps));
  }
  for (const change of changes) await attempt(change, () => applyChange(change, deps));
  return count;
}

function isRemoval({ action }: Change): boolean {
  return /^(delete|remove|unset)_/.test(action);
}

/** @returns what was done; undefined when nothing had to be */
async function applyChange(change: Change, deps: ApplyDeps): Promise<string | undefined> {
  const { client, services } = deps;
  switch (change.action) {
    case 'create_volume':
      await client.post('/v1/volume/create', { body: { name: change.volume } });
      return `Created volume ${change.volume}.`;
    case 'set_variables':
      return setVariables(change.service, change.keys, deps);
    case 'unset_variables':
      return changeVariables(client, change.service, { unset: [...change.keys] });
    case 'create_service':
    case 'deploy_service': {
      const { fields, archive } = find(services, change.service);
      return finish(change.service, client.deploy({ fields, archive: await openArchive(archive) }), deps);
    }
    case 'change_settings': {
      const {
        function_name: _,
        source_object: __,
        schedule,
        health,
        ...settings
      } = find(services, change.service).fields;
      // A redeploy keeps what is absent: the whole declaration is sent, with null for what the file doesn't have.
      const declared = { ...defaultsOf(find(services, change.service)), ...settings };
      return finish(
        change.service,
        client.redeploy(change.service, { ...declared, schedule: schedule ?? null, health: health ?? null }),
        deps,
      );
    }
    case 'add_domain': {
      const { domain, service } = change;
      const { status } = await client.post('/v1/domain/add', { body: { deployment_name: service, domain } });
      if (status === 'active') return `${domain} leads to ${service}.`;
      return `Added ${domain} to ${service}. \`berth domain add ${service} ${domain}\` prints how to verify it.`;
    }
    case 'remove_domain':
      return (await client.post('/v1/domain/remove', { body: { domain: change.domain } })).detail;
    case 'delete_service':
      return (await client.post('/v1/deployment/delete', { body: { name: change.service } })).detail;
    case 'delete_volume':
      return (await client.post('/v1/volume/delete', { body: { name: change.volume } })).detail;
  }
}

/** The values of settings with one value, as the platform would store them. */
function defaultsOf({ settings }: PreparedService) {
  return {
    port: settings.port,
    memory: settings.memory,
    cpu: settings.cpuRaisedFrom ?? settings.cpu,
    timeout: settings.timeoutSeconds,
    concurrency: settings.concurrency,
    max_instances: settings.maxInstances,
    min_instances: settings.minInstances,
    session_affinity: settings.sessionAffinity,
    use_http2: settings.useHttp2,
  };
}

function setVariables(service: string, keys: readonly string[], { client, findValue }: ApplyDeps) {
  const set = Object.fromEntries(keys.map((key) => [key, findValue(key) ?? '']));
  return changeVariables(client, service, { set });
}

async function changeVariables(
  client: Client,
  service: string,
  changes: { readonly set?: Record<string, string>; readonly unset?: string[] },
): Promise<string | undefined> {
  const { status, detail } = await client.post('/v1/env/set', { body: { deployment_name: service, ...changes } });
  if (status === 'failed') throw new Error(detail);
  return status === 'unchanged' ? undefined : detail;
}

/** Shows a deploy as one status line, and returns its address. @throws Error with the reason and the last lines of output */
async function finish(
  service: string,
  events: AsyncIterable<DeployEvent>,
  { context: { output } }: Pick<ApplyDeps, 'context'>,
): Promise<string> {
  try {
    for await (const event of events) {
      if (event.status === 'DONE') return `Deployed ${service}: ${event.url ?? ''}`;
      if (event.status === 'ERROR') {
        throw new Error([event.message, ...(event.logs ?? []).slice(-10)].join('\n'));
      }
      output.showStatus(`  ${service}: ${cleanText(event.message)}`);
    }
  } finally {
    output.clearStatus();
  }
  throw new Error('The deploy ended without a result.');
}

function find(services: readonly PreparedService[], name: string): PreparedService {
  const service = services.find((one) => one.name === name);
  if (service === undefined) throw new Error(`${name} is not in the file`);
  return service;
}
