import { z } from '@hono/zod-openapi';
import { DEPLOYMENT_NAME_PATTERN } from './deployment-name.ts';

/** Separates a tag from the deployment's name in the host of the tag. Names and tags can't contain it. */
export const TAG_SEPARATOR = '---';

/** Tags of one deployment. Each keeps a revision and its build. */
export const MAX_TAGS = 20;
/** Revisions among which the traffic of a deployment may be split. */
export const MAX_SHARES = 10;
/** For how long a canary may be watched, and for how long it is by default. */
export const CANARY_SECONDS = { min: 1, max: 86_400, default: 600 } as const;

/** Returns the first label of the host of a tag. */
export function tagLabel(tag: string, deployment: string): string {
  return `${tag}${TAG_SEPARATOR}${deployment}`;
}

/** Returns why a deployment can't have a tag, as a sentence; undefined when it can. */
export function tagProblem(tag: string, deployment: string): string | undefined {
  if (!DEPLOYMENT_NAME_PATTERN.test(tag) || tag.includes(TAG_SEPARATOR)) {
    return `The tag must start with a letter, end with a letter or digit, and hold only a-z, 0-9 and "-", without "${TAG_SEPARATOR}".`;
  }
  const label = tagLabel(tag, deployment);
  if (label.length <= 63) return undefined;
  return `"${label}" has ${label.length} characters; 63 are allowed in a host. Choose a shorter tag.`;
}

/** How the traffic of a deployment is split, and its tags. */
export const trafficSchema = z
  .object({
    split: z
      .array(z.object({ revision: z.string(), percent: z.int() }))
      .openapi({ description: 'The current revision first; its percentage is the rest. They sum up to 100' }),
    tags: z
      .array(z.object({ tag: z.string(), revision: z.string(), url: z.string() }))
      .openapi({ description: 'Revisions with an address of their own, by tag' }),
    canary: z
      .object({ revision: z.string(), deploy_id: z.string(), ends_at: z.iso.datetime() })
      .nullable()
      .openapi({ description: 'The canary that is being watched' }),
  })
  .openapi('Traffic');

export type Traffic = z.infer<typeof trafficSchema>;

/** Request of `POST /v1/deployment/traffic`. Source: docs/contract/control-plane.md §3. */
export const setTrafficRequestSchema = z
  .object({
    name: z.string(),
    split: z
      .record(z.string(), z.int().min(0).max(100))
      .optional()
      .openapi({
        description:
          'Percentages by revision. The current revision gets the rest unless it is named. `{}` ends a split',
        example: { 'my-app-00002-abc': 10 },
      }),
    set_tags: z
      .record(z.string(), z.string())
      .optional()
      .openapi({
        description: 'Revisions by tag. A tag that another revision has moves',
        example: { beta: 'my-app-00002-abc' },
      }),
    remove_tags: z.array(z.string()).optional(),
  })
  .openapi('SetTrafficRequest');

export type SetTrafficRequest = z.infer<typeof setTrafficRequestSchema>;

/** The traffic that a new revision gets. */
export interface DeployTraffic {
  readonly tag: string | null;
  /** 100: all, as by default. */
  readonly percent: number;
  /** Set for a canary: how long it is watched until it gets all traffic. */
  readonly canarySeconds: number | null;
}
