import { ModelError } from '../model-error.ts';

/** A JSON object of an event, of which nothing is known yet. */
export type Loose = Readonly<Record<string, unknown>>;

/** @throws ModelError `malformed` for what is no JSON object. */
export function readObject(name: string, text: string): Loose {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Loose;
  throw new ModelError('malformed', `${name} sent an event that is no JSON object: ${text.slice(0, 200)}`);
}

/** What is there when it is an object; else an empty one. */
export function objectOf(value: unknown): Loose {
  return typeof value === 'object' && value !== null ? (value as Loose) : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A count of tokens; 0 for what is none. */
export function countOf(value: unknown): number {
  return typeof value === 'number' && value > 0 ? Math.round(value) : 0;
}
