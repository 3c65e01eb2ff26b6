export type { Principal } from './accounts/principal.ts';
export type { Api, ApiContext, ApiEnv } from './http/api.ts';
export { type CreateApiOptions, createApi } from './http/create-api.ts';
export type { ReadinessCheck } from './http/health-routes.ts';
export { openApiDocument } from './http/openapi-document.ts';
