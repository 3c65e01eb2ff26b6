import { createError } from '@berth/contract';
import type { Api } from './api.ts';

/** Routes that the contract names and this version does not have. */
const NOT_AVAILABLE: readonly (readonly [method: string, path: string])[] = [
  ['POST', '/v1/sql'],
  ['GET', '/v1/deployment/metrics'],
];

/** Answers those routes with 501; call it before routes with a parameter in the same place. */
export function registerNotAvailable(api: Api): void {
  for (const [method, path] of NOT_AVAILABLE) {
    api.on(method, path, (c) => {
      throw createError('not_available', `This version of Berth does not have ${c.req.method} ${path} yet.`);
    });
  }
}
