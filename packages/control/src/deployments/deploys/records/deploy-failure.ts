import { DEPLOY_ERROR_CODES, type DeployErrorCode } from '@berth/contract';
import { BerthError } from '@berth/kit';

/** The reason for a failed deploy. */
export interface DeployFailure {
  readonly code: DeployErrorCode;
  /** A sentence that says what to do. */
  readonly message: string;
  /** The last lines of output, oldest first. */
  readonly logs: readonly string[];
}

/** Lines of output that an ERROR event carries. Source: docs/contract/control-plane.md §2. */
export const FAILURE_LOG_LINES = 20;

/** Maps an error to the failure shown to the owner. The details of an unexpected error go to the platform's log only. */
export function toDeployFailure(error: unknown, deployId: string, logs: readonly string[]): DeployFailure {
  if (BerthError.is(error)) {
    const code = DEPLOY_ERROR_CODES.find((known) => known === error.code);
    if (code) return { code, message: error.message, logs };
  }
  return {
    code: 'internal',
    message: `Internal error. The platform's log has details under ${deployId}. Deploy again.`,
    logs,
  };
}
