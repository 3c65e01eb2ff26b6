import { createError } from '@berth/contract';
import type { z } from 'zod';

/**
 * Returns the content of a project's file by its schema.
 * @param form The format for the message, e.g. `JSON`.
 * @throws BerthError `build_failed` if `parse` throws, or naming every field that is wrong.
 */
export function readData<Schema extends z.ZodType>(name: string, form: string, parse: () => unknown, schema: Schema) {
  let data: unknown;
  try {
    data = parse();
  } catch (error) {
    throw createError('build_failed', `${name} is not ${form}: ${error instanceof Error ? error.message : error}`);
  }
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`);
  throw createError('build_failed', `${name} is wrong: ${faults.join('; ')}.`);
}
