import { z } from 'zod';
import { healthCheckShape } from './health-check.ts';
import { DEPLOY_DEFAULTS, LIMITS } from './limits.ts';
import { VOLUME_NAME_PATTERN } from './volume-mounts.ts';

const integer = (minimum: number, maximum: number, description: string) =>
  z.int().min(minimum).max(maximum).optional().describe(description);

const volumeName = z.string().regex(VOLUME_NAME_PATTERN, 'must be a volume name, such as my-data');

/**
 * The settings of a deployment, under the names of the deploy form. The table behind `berth.json`, its JSON Schema and what
 * a deploy by the CLI or the console keeps: a setting that joins the form gets a row here.
 * The types and bounds serve editors; `parseDeployForm` checks the values together.
 */
export const settingsShape = {
  port: integer(LIMITS.portMin, LIMITS.portMax, 'Port the service listens on, also given to it as PORT. Default: 8080'),
  memory: z.string().optional().describe(`Memory of an instance, 128Mi to 32Gi. Default: ${DEPLOY_DEFAULTS.memory}`),
  cpu: z
    .number()
    .min(0.08)
    .max(8)
    .optional()
    .describe(`CPUs of an instance: 0.08 to 1, or 2, 4, 6, 8. Default: ${DEPLOY_DEFAULTS.cpu}`),
  timeout: integer(
    LIMITS.timeoutSecondsMin,
    LIMITS.timeoutSecondsMax,
    `Request timeout in seconds. Default: ${DEPLOY_DEFAULTS.timeout}`,
  ),
  concurrency: integer(
    LIMITS.concurrencyMin,
    LIMITS.concurrencyMax,
    `Concurrent requests per instance. Default: ${DEPLOY_DEFAULTS.concurrency}`,
  ),
  max_instances: integer(0, LIMITS.maxInstancesMax, 'Maximum instances; 0 = no fixed limit. Default: 0'),
  min_instances: integer(0, LIMITS.maxInstancesMax, 'Instances kept running without requests. Default: 0'),
  session_affinity: z.boolean().optional().describe('Send a visitor to the same instance. Default: false'),
  use_http2: z.boolean().optional().describe('Speak HTTP/2 without TLS (h2c) to the service. Default: false'),
  volumes: z
    .record(
      z.string().regex(/^\//, 'must be an absolute path, such as /data'),
      z.union(
        [
          volumeName,
          z.strictObject({
            name: volumeName,
            read_only: z.boolean().optional().describe('Default: false'),
            sub_path: z.string().optional().describe('Folder of the volume to mount; the whole volume by default'),
          }),
        ],
        'must be a volume name, or an object with name, read_only and sub_path',
      ),
    )
    .optional()
    .describe(
      'All volumes of the service: mount path to volume name. A volume that this object leaves out is detached; its data is kept. {} = no volumes',
    ),
  schedule: z
    .union(
      [
        z.string(),
        z.strictObject({
          cron: z.string().describe('Five fields: minute hour day month weekday'),
          timezone: z.string().optional().describe('IANA time zone, such as Europe/Berlin. Default: UTC'),
        }),
        z.null(),
      ],
      'must be a cron expression, an object with cron and timezone, or null',
    )
    .optional()
    .describe('When POST /cron is called: five cron fields, or an object with a time zone. null = no schedule'),
  health: z
    .union(
      [z.string(), healthCheckShape, z.null()],
      'must be a path, an object with path, interval and timeout, or null',
    )
    .optional()
    .describe(
      'HTTP check that an instance passes, with 200 to 399, before it takes requests and while it serves: a path, or an object with times in seconds. null = no check',
    ),
} as const;

/** A setting that a deploy keeps when nothing names it. */
export type SettingField = keyof typeof settingsShape;

/** Every setting, in the order of the deploy form. */
export const SETTING_FIELDS = Object.keys(settingsShape) as readonly SettingField[];

const text = z
  .string()
  .min(1)
  .max(16_384)
  .regex(/^[^\0]*$/, 'holds a NUL');
const argv = z.array(text).min(1).max(256);
const commands = z.union([text, argv, z.array(z.union([text, argv])).max(64)]);
const folder = z
  .string()
  .refine((path) => !path.startsWith('/') && !path.split('/').includes('..'), 'must be a folder inside the project');
const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be a name of letters, digits and _');

/** `berth.json`: how a project is built and started, and the settings it is deployed with. */
export const berthJsonSchema = z
  .strictObject({
    $schema: z.string().optional(),
    name: z.string().optional().describe('Name of the deployment, and first part of its address'),
    install: commands.optional().describe('Commands that replace the install steps; [] for none'),
    build: commands.optional().describe('Commands that replace the build steps; [] for none'),
    start: z.union([text, argv]).optional().describe('Command that starts the service: a line, or a list of words'),
    env: z
      .record(variableName, z.string().regex(/^[^\0]*$/))
      .optional()
      .describe('Environment of the install and build steps. Not for secrets'),
    static: z
      .union([
        folder,
        z.strictObject({
          folder: folder.default('.'),
          single_page: z.boolean().default(false).describe('Answer paths without a file with index.html'),
        }),
      ])
      .optional()
      .describe('Serve the files of this folder instead of starting a program'),
    required_env: z
      .array(variableName)
      .max(1_000)
      .optional()
      .describe('Variables that must be set with `berth env set` before a deploy. Names only, never values'),
    ...settingsShape,
  })
  .meta({ title: 'berth.json', description: 'How Berth builds, starts and deploys this project' });

/** A valid `berth.json`. */
export type BerthJsonFile = z.infer<typeof berthJsonSchema>;

/** Settings that a `berth.json` names. */
export type FileSettings = Pick<BerthJsonFile, SettingField>;

/** Reads the text of a `berth.json`: the file, or one sentence that names every fault. */
export function readBerthJson(source: string): { readonly file: BerthJsonFile } | { readonly problem: string } {
  let json: unknown;
  try {
    json = JSON.parse(source.replace(/^\ufeff/, ''));
  } catch (error) {
    return { problem: `berth.json is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  const parsed = berthJsonSchema.safeParse(json);
  if (parsed.success) return { file: parsed.data };
  const faults = parsed.error.issues.map((issue) => {
    const message = issue.code === 'invalid_key' ? issue.issues[0]?.message : issue.message;
    return `${issue.path.join('.') || 'the file'}: ${message}`;
  });
  return { problem: `berth.json is not valid: ${faults.join('; ')}.` };
}

/** The settings that a `berth.json` names. */
export function settingsOfFile(file: BerthJsonFile): FileSettings {
  return Object.fromEntries(
    SETTING_FIELDS.flatMap((field) => (file[field] === undefined ? [] : [[field, file[field]]])),
  );
}

/** The JSON Schema (draft 2020-12) of `berth.json`, for editors. */
export function berthJsonJsonSchema(): object {
  return z.toJSONSchema(berthJsonSchema, { io: 'input' });
}
