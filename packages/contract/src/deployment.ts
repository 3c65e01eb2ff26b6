import { z } from '@hono/zod-openapi';
import type { DeploySettings } from './deploy-form.ts';
import { DEPLOY_STEPS, deployActorSchema } from './deploy-summary.ts';
import { deployedHealthCheckSchema } from './health-check.ts';
import { parseMemory, raisedCpu } from './resources.ts';
import { DEPLOY_DEFAULTS, mapSettings, SETTING_FIELDS, type SettingField, toValueFields } from './settings.ts';
import { trafficSchema } from './traffic.ts';
import { volumeMountsToJson } from './volume-mounts.ts';

/** The statuses of a deployment. `stopped`: its owner stopped it, and its requests are refused until it is resumed. */
export const DEPLOYMENT_STATUSES = ['building', 'deploying', 'ready', 'failed', 'deleting', 'stopped'] as const;

export type DeploymentStatus = (typeof DEPLOYMENT_STATUSES)[number];

/** The kinds of deployments. An agent is a project that depends on `@berth/agent`. */
export const DEPLOYMENT_KINDS = ['service', 'agent'] as const;

export type DeploymentKind = (typeof DEPLOYMENT_KINDS)[number];

/** A row of `GET /v1/deployment/list`. Source: docs/contract/control-plane.md §3. */
export const deploymentSchema = z
  .object({
    name: z.string(),
    url: z.string(),
    region: z.string(),
    status: z.enum(DEPLOYMENT_STATUSES),
    /** The revision that gets the traffic; null until there is one. */
    revision: z.string().nullable(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    ...mapSettings({
      integer: () => z.int(),
      memory: () => z.string(),
      cpu: () => z.number(),
      boolean: () => z.boolean(),
      volumes: () => z.record(z.string(), z.object({ name: z.string(), read_only: z.boolean(), sub_path: z.string() })),
      schedule: () => z.object({ cron: z.string(), timezone: z.string() }).nullable(),
      health: () => z.union([deployedHealthCheckSchema, z.null()]),
    }),
    /** The number of instances that are starting or running. */
    instances: z.int(),
    /** Those of them that have no request and are kept because they say that they have work; billed meanwhile. */
    busy: z.int(),
    kind: z
      .enum(DEPLOYMENT_KINDS)
      .optional()
      .openapi({ description: '`agent`: the live revision was built from a project that depends on `@berth/agent`' }),
    last_deploy: z
      .object({
        deploy_id: z.string(),
        status: z.enum(DEPLOY_STEPS),
        created_at: z.iso.datetime(),
        actor: deployActorSchema,
      })
      .nullable()
      .optional()
      .openapi({ description: 'The newest deploy; null if its record has expired' }),
  })
  .openapi('Deployment');

export type Deployment = z.infer<typeof deploymentSchema>;

/** A revision of a deployment. */
export const revisionSchema = z
  .object({
    revision: z.string(),
    created_at: z.iso.datetime(),
    status: z.enum(['ready', 'failed', 'retired', 'building']),
    /** `sha256:<hex>` of the build; null when the build failed. */
    digest: z.string().nullable(),
    source_sha256: z.string().nullable().optional().openapi({
      description: 'SHA-256 of the archive that it was built from; null if it was built before this was recorded',
    }),
  })
  .openapi('Revision');

export type Revision = z.infer<typeof revisionSchema>;

/** Response of `GET /v1/deployment/{name}`: a deployment with its revisions. */
export const deploymentDetailSchema = deploymentSchema
  .extend({
    missing_env: z.array(z.string()).optional().openapi({
      description: 'Variables that the required_env of berth.json names and that are not set, sorted',
    }),
    revisions: z.array(revisionSchema),
    traffic: trafficSchema.optional(),
  })
  .openapi('DeploymentDetail');

export type DeploymentDetail = z.infer<typeof deploymentDetailSchema>;

/** Response of `GET /v1/deployment/check-name`. Source: docs/contract/control-plane.md §3. */
export const nameCheckSchema = z
  .object({
    available: z.boolean(),
    reason: z.string().optional(),
    exists: z.boolean().optional().openapi({
      description:
        'Only with `existing=true`: the account has a deployment of this name, and deploying creates its next revision',
    }),
  })
  .openapi('NameCheck');

export type NameCheck = z.infer<typeof nameCheckSchema>;

/** The settings in a deployment's row. */
export type DeploymentSettings = Pick<Deployment, SettingField>;

/** Returns validated settings in the form of a deployment's row. */
export function toDeploymentSettings(settings: DeploySettings): DeploymentSettings {
  const { schedule } = settings;
  return {
    ...toValueFields(settings),
    volumes: volumeMountsToJson(settings.volumes),
    schedule: schedule && { cron: schedule.cron, timezone: schedule.timezone },
    health: settings.health ?? null,
  };
}

/** Returns the settings of a deployment. */
export function settingsOfDeployment(deployment: Deployment): DeploymentSettings {
  return Object.fromEntries(SETTING_FIELDS.map((field) => [field, deployment[field]])) as DeploymentSettings;
}

/** Returns true when the platform may have raised the CPU to fit the memory, so that other memory needs it chosen again. */
export function isCpuRaised({ cpu, memory }: Pick<Deployment, 'cpu' | 'memory'>): boolean {
  return cpu === raisedCpu(DEPLOY_DEFAULTS.cpu, parseMemory(memory) ?? 0);
}
