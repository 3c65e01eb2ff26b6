import type { Client } from '@berth/client';
import type { DeploymentDetail, Domain, Volume } from '@berth/contract';
import { BerthError } from '@berth/kit';
import { findDetached } from '../deploy/merge-volumes.ts';
import { findSettingsChanges } from '../deploy/settings-changes.ts';
import { UsageError } from '../errors/usage-error.ts';
import type { Change } from './change.ts';
import type { PreparedService } from './prepare-service.ts';
import type { Platform } from './read-platform.ts';

/** Options of {@link makePlan}. */
export interface PlanOptions {
  /** Delete what is not in the file. */
  readonly prune: boolean;
  /** Delete volumes that have objects, too. */
  readonly deleteData: boolean;
}

/** The changes of `berth apply`, in order. */
export interface Plan {
  readonly changes: readonly Change[];
  /** Variables that have a value on both sides. The platform compares them, as values can't be read. */
  readonly compared: readonly { readonly service: string; readonly keys: readonly string[] }[];
  /** Sentences about everything that is not in the file and stays. */
  readonly kept: readonly string[];
}

/** Compares a file with the platform. @throws UsageError naming variables that have no value anywhere */
export async function makePlan(
  client: Client,
  { file, findValue }: Platform,
  services: readonly PreparedService[],
  options: PlanOptions,
): Promise<Plan> {
  const [volumes, domains, deployments] = await Promise.all([
    client.get('/v1/volume/list'),
    client.get('/v1/domain/list'),
    client.get('/v1/deployment/list'),
  ]);
  const changes: Change[] = [];
  const compared: { service: string; keys: string[] }[] = [];
  const kept: string[] = [];
  const missing: string[] = [];
  const removed: Change[] = [];

  const known = new Set(volumes.map(({ name }) => name));
  for (const volume of file.volumes) if (!known.has(volume)) changes.push({ action: 'create_volume', volume });

  for (const service of services) {
    const { name } = service;
    const keys = await listVariables(client, name);
    const withoutValue = service.env.filter((key) => findValue(key) === undefined && !keys.has(key));
    missing.push(...withoutValue.map((key) => `${key} of ${name}`));
    const given = service.env.filter((key) => findValue(key) !== undefined);
    const added = given.filter((key) => !keys.has(key));
    if (added.length > 0) changes.push({ action: 'set_variables', service: name, keys: added });
    const both = given.filter((key) => keys.has(key));
    if (both.length > 0) compared.push({ service: name, keys: both });
    const others = [...keys].filter((key) => !service.env.includes(key));
    if (others.length > 0 && options.prune) removed.push({ action: 'unset_variables', service: name, keys: others });
    else if (others.length > 0) kept.push(`Variables of ${name} that are not in the file: ${others.join(', ')}`);
    changes.push(...compareService(service, await client.findDeployment(name)));
    changes.push(...compareDomains(service, domains));
    for (const { domain } of domains.filter((one) => isExtra(one, service))) {
      if (options.prune) removed.push({ action: 'remove_domain', service: name, domain });
      else kept.push(`Domain ${domain} of ${name} is not in the file`);
    }
  }
  if (missing.length > 0) {
    const names = missing.join(', ');
    throw new UsageError(`No value for ${names}. Set it in the environment or in the file with variables.`);
  }

  const named = new Set(services.map(({ name }) => name));
  for (const { name, url } of deployments.filter((one) => !named.has(one.name) && one.status !== 'deleting')) {
    if (options.prune) removed.push({ action: 'delete_service', service: name, url });
    else kept.push(`Service ${name} is not in the file`);
  }
  for (const volume of findExtraVolumes(volumes, file.volumes, services)) {
    const { name, size_bytes, object_count } = volume;
    const isEmpty = object_count === 0 && size_bytes === 0;
    if (options.prune && (isEmpty || options.deleteData)) {
      removed.push({ action: 'delete_volume', volume: name, size_bytes, object_count });
    } else if (options.prune) kept.push(`Volume ${name} has data; --delete-data deletes it`);
    else kept.push(`Volume ${name} is not in the file`);
  }
  return { changes: [...changes, ...removed], compared, kept };
}

async function listVariables(client: Client, name: string): Promise<ReadonlySet<string>> {
  const variables = await client.get('/v1/env/list', { params: { query: { name } } }).catch((error: unknown) => {
    if (BerthError.is(error, 'not_found')) return [];
    throw error;
  });
  return new Set(variables.map(({ key }) => key));
}

/** A source that was built already is not built again: other settings then only start a new revision. */
function compareService(
  { name, settings, sha256, fields }: PreparedService,
  live: DeploymentDetail | undefined,
): Change[] {
  if (live === undefined) return [{ action: 'create_service', service: name, changes: ['deploys its source'] }];
  const { changed } = findSettingsChanges(live, settings, new Set());
  const changes = [...changed, ...findDetached(live.volumes, fields.volumes)];
  const revision = live.revisions.find((one) => one.revision === live.revision);
  if (revision?.source_sha256 !== sha256) {
    return [{ action: 'deploy_service', service: name, changes: ['source', ...changes] }];
  }
  return changes.length > 0 ? [{ action: 'change_settings', service: name, changes }] : [];
}

function compareDomains({ name, domains }: PreparedService, existing: readonly Domain[]): Change[] {
  return domains.flatMap((domain): Change[] => {
    const found = existing.find((one) => one.domain === domain);
    if (found?.deployment_name === name) return [];
    return [
      { action: 'add_domain', service: name, domain, ...(found !== undefined && { from: found.deployment_name }) },
    ];
  });
}

const isExtra = ({ domain, deployment_name }: Domain, { name, domains }: PreparedService) =>
  deployment_name === name && !domains.includes(domain);

function findExtraVolumes(
  volumes: readonly Volume[],
  listed: readonly string[],
  services: readonly PreparedService[],
): Volume[] {
  const mounted = services.flatMap(({ settings }) => settings.volumes.map(({ name }) => name));
  return volumes.filter(({ name }) => !listed.includes(name) && !mounted.includes(name));
}
