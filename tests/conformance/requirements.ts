import { CONVENTIONS } from './conventions.ts';
import { DEPLOY_FORM, DEPLOY_STREAM } from './deploy.ts';
import { DEPLOYMENTS } from './deployments.ts';
import { LOGS } from './logs.ts';
import type { Requirement } from './requirement.ts';
import { SERVICE } from './service.ts';

/** Every observable sentence of the contract's sections 1 to 4 and 6. */
export const REQUIREMENTS = {
  ...CONVENTIONS,
  ...DEPLOY_FORM,
  ...DEPLOY_STREAM,
  ...DEPLOYMENTS,
  ...SERVICE,
  ...LOGS,
} as const satisfies Readonly<Record<string, Requirement>>;

export type RequirementId = keyof typeof REQUIREMENTS;
