import { z } from 'zod';
import {
  describeFaults,
  type FileSettings,
  settingsShape,
  variableNameSchema,
  volumeNameSchema,
} from './berth-json.ts';
import { deploymentNameProblem } from './deployment-name.ts';
import { SETTING_FIELDS } from './settings.ts';

const serviceSchema = z
  .strictObject({
    source: z
      .string()
      .min(1)
      .describe('Folder, or archive (.tar.gz), with the source; relative to the file. Its berth.json counts as well'),
    env: z
      .array(variableNameSchema)
      .max(1_000)
      .default([])
      .describe('Names of the variables. The values come from the environment or from env_file, never from this file'),
    domains: z.array(z.string().min(1)).max(100).default([]).describe('Custom domains, such as shop.example.com'),
    ...settingsShape,
  })
  .describe('A service. A setting that is neither here nor in its berth.json has its default');

const serviceName = z.string().superRefine((name, context) => {
  const message = deploymentNameProblem(name, []);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

/** The schema of `platform.yaml`: the services of an account, for `berth apply`. */
export const platformFileSchema = z
  .strictObject({
    $schema: z.string().optional(),
    env_file: z
      .string()
      .optional()
      .describe('File with the values of variables, relative to this one. Default: .env, if it exists'),
    services: z.record(serviceName, serviceSchema).default({}).describe('The services by name'),
    volumes: z
      .array(volumeNameSchema)
      .default([])
      .describe('Volumes to create. Volumes that a service mounts need not be listed'),
  })
  .meta({ title: 'platform.yaml', description: 'Services, variables, domains and volumes for `berth apply`' });

/** A valid `platform.yaml`. */
export type PlatformFile = z.output<typeof platformFileSchema>;

/** A service in a `platform.yaml`. */
export type PlatformService = z.output<typeof serviceSchema>;

/** Validates the value in a `platform.yaml`. Returns the file, or a problem: the faults in one line. */
export function readPlatformFile(value: unknown): { readonly file: PlatformFile } | { readonly problem: string } {
  const parsed = platformFileSchema.safeParse(value);
  return parsed.success ? { file: parsed.data } : { problem: describeFaults(parsed.error) };
}

/** Returns the settings of a service in a `platform.yaml`. */
export function settingsOfService(service: PlatformService): FileSettings {
  return Object.fromEntries(
    SETTING_FIELDS.flatMap((field) => (service[field] === undefined ? [] : [[field, service[field]]])),
  );
}

/** Returns the JSON Schema (draft 2020-12) of `platform.yaml`, for editors. */
export function platformFileJsonSchema(): object {
  return z.toJSONSchema(platformFileSchema, { io: 'input' });
}
