import type { ErrorCode } from '@berth/contract';
import { BerthError } from '@berth/kit';

/** Next steps by error code, added to the message of the error. */
const NEXT_STEPS: { readonly [Code in ErrorCode]?: string } = {
  unauthenticated: 'Ask the person to sign in again, or to use another API key.',
  forbidden:
    "You can't gain this permission yourself. Ask the person to do it, or to connect with a credential that has it.",
  not_found: 'List what exists, and check the name.',
  invalid: 'Correct the fields that are named, and call the tool again.',
  conflict: 'Read the current state before you try again.',
  too_many_requests: 'Wait before you try again, or ask the person to raise the limit.',
  unavailable: 'Wait a few seconds, then try again.',
};

/** Returns the text of a failed call: what failed and what to do next. Undefined for errors that the caller must not see. */
export function explainError(error: unknown): string | undefined {
  if (!BerthError.is(error) || error.code === 'internal') return undefined;
  const step = NEXT_STEPS[error.code as ErrorCode];
  return [`${error.code}: ${error.message}`, step].filter(Boolean).join('\n');
}
