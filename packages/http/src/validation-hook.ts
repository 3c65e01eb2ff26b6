import { createValidationError, type InputPlace, toValidationIssues } from '@berth/contract';
import type { Hook } from '@hono/zod-openapi';
import type { AnyContext } from './http-env.ts';

const PLACES: Readonly<Record<string, InputPlace>> = { json: 'body', form: 'body', param: 'path' };

/** Turns what a route's schemas refuse into the contract's 422, with every wrong field of that part of the request. */
// biome-ignore lint/suspicious/noExplicitAny: the signature of the library's option
export const validationHook: Hook<any, any, any, any> = async (result, c) => {
  if (result.success) return;
  const place = PLACES[result.target] ?? (result.target as InputPlace);
  throw createValidationError(toValidationIssues(place, result.error.issues, await inputOf(result.target, c)));
};

async function inputOf(target: string, c: AnyContext): Promise<unknown> {
  if (target === 'json') return c.req.json();
  if (target === 'query') return c.req.query();
  if (target === 'param') return c.req.param();
  return c.req.header();
}
