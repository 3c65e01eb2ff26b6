import { z } from 'zod';
import { healthCheckShape } from './health-check.ts';
import { VARIABLE_NAME_PATTERN } from './service-environment.ts';
import { describeSetting, mapSettings, SETTING_FIELDS, type Setting, type SettingField } from './settings.ts';
import { VOLUME_NAME_PATTERN } from './volume-mounts.ts';

export const volumeNameSchema = z.string().regex(VOLUME_NAME_PATTERN, 'must be a volume name, such as my-data');

const withDefault = (setting: Setting) => `${describeSetting(setting)}. Default: ${setting.default}`;

/**
 * The settings of a deployment in `berth.json`. The types and bounds are for editors; `parseDeployForm` validates the values
 * together.
 */
export const settingsShape = mapSettings({
  integer: (setting) => z.int().min(setting.min).max(setting.max).optional().describe(withDefault(setting)),
  memory: (setting) => z.string().optional().describe(withDefault(setting)),
  cpu: (setting) =>
    z
      .number()
      .min(setting.min)
      .max(Math.max(...setting.steps))
      .optional()
      .describe(withDefault(setting)),
  boolean: (setting) => z.boolean().optional().describe(withDefault(setting)),
  volumes: ({ description }) =>
    z
      .record(
        z.string().regex(/^\//, 'must be an absolute path, such as /data'),
        z.union(
          [
            volumeNameSchema,
            z.strictObject({
              name: volumeNameSchema,
              read_only: z.boolean().optional().describe('Default: false'),
              sub_path: z.string().optional().describe('Folder of the volume to mount; the whole volume by default'),
            }),
          ],
          'must be a volume name, or an object with name, read_only and sub_path',
        ),
      )
      .optional()
      .describe(description),
  schedule: ({ description }) =>
    z
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
      .describe(description),
  health: ({ description }) =>
    z
      .union(
        [z.string(), healthCheckShape, z.null()],
        'must be a path, an object with path, interval and timeout, or null',
      )
      .optional()
      .describe(description),
});

const text = z
  .string()
  .min(1)
  .max(16_384)
  .regex(/^[^\0]*$/, 'holds a NUL');
const argv = z.array(text).min(1).max(256);
const commands = z.union([text, argv, z.array(z.union([text, argv])).max(64)]);
const folder = z
  .string()
  .refine((path) => !path.startsWith('/') && !path.split('/').includes('..'), 'must be a path inside the project');
export const variableNameSchema = z.string().regex(VARIABLE_NAME_PATTERN, 'must be a name of letters, digits and _');

/** The schema of `berth.json`: how a project is built and started, and the settings it is deployed with. */
export const berthJsonSchema = z
  .strictObject({
    $schema: z.string().optional(),
    name: z.string().optional().describe('Name of the deployment, used in its URL'),
    install: commands.optional().describe('Commands that replace the install steps; [] for none'),
    build: commands.optional().describe('Commands that replace the build steps; [] for none'),
    start: z.union([text, argv]).optional().describe('Command that starts the service: a line, or a list of words'),
    env: z
      .record(variableNameSchema, z.string().regex(/^[^\0]*$/))
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
      .array(variableNameSchema)
      .max(1_000)
      .optional()
      .describe('Variables that must be set with `berth env set` before a deploy. Names only, never values'),
    dev: z
      .strictObject({
        port: z
          .int()
          .min(1)
          .max(65_535)
          .optional()
          .describe('Port of `berth dev`; the first free one from 3000 by default'),
        open: z.boolean().optional().describe("Open an agent's page in the browser. Default: true"),
        env_file: folder
          .optional()
          .describe('File with environment variables, inside the project. Default: .env, if it exists'),
        env: z
          .record(variableNameSchema, z.string().regex(/^[^\0]*$/))
          .optional()
          .describe('Environment variables. Not for secrets: use the file'),
      })
      .optional()
      .describe('How `berth dev` runs the project on your machine. Ignored by deploys'),
    ...settingsShape,
  })
  .meta({ title: 'berth.json', description: 'How Berth builds, starts and deploys this project' });

/** A valid `berth.json`. */
export type BerthJsonFile = z.infer<typeof berthJsonSchema>;

/** The settings in a `berth.json`. */
export type FileSettings = Pick<BerthJsonFile, SettingField>;

/** Parses a `berth.json`. Returns the file, or a problem: one sentence that names all faults. */
export function readBerthJson(source: string): { readonly file: BerthJsonFile } | { readonly problem: string } {
  let json: unknown;
  try {
    json = JSON.parse(source.replace(/^\ufeff/, ''));
  } catch (error) {
    return { problem: `berth.json is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  const parsed = berthJsonSchema.safeParse(json);
  if (parsed.success) return { file: parsed.data };
  return { problem: `berth.json is not valid: ${describeFaults(parsed.error)}.` };
}

/** Returns what is wrong with a file, fault by fault. */
export function describeFaults({ issues }: z.ZodError): string {
  const faults = issues.map((issue) => {
    const message = issue.code === 'invalid_key' ? issue.issues[0]?.message : issue.message;
    return `${issue.path.join('.') || 'the file'}: ${message}`;
  });
  return faults.join('; ');
}

/** Returns the settings in a `berth.json`. */
export function settingsOfFile(file: BerthJsonFile): FileSettings {
  return Object.fromEntries(
    SETTING_FIELDS.flatMap((field) => (file[field] === undefined ? [] : [[field, file[field]]])),
  );
}

/** Returns the JSON Schema (draft 2020-12) of `berth.json`, for editors. */
export function berthJsonJsonSchema(): object {
  return z.toJSONSchema(berthJsonSchema, { io: 'input' });
}
