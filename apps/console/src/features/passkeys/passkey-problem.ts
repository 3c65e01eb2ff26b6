/** Reasons why a browser didn't create or use a passkey. */
export type PasskeyProblem = 'cancelled' | 'known' | 'address' | 'unfit' | 'other';

const BY_CODE: Readonly<Record<string, PasskeyProblem>> = {
  ERROR_CEREMONY_ABORTED: 'cancelled',
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: 'known',
  ERROR_INVALID_DOMAIN: 'address',
  ERROR_INVALID_RP_ID: 'address',
  ERROR_AUTHENTICATOR_MISSING_DISCOVERABLE_CREDENTIAL_SUPPORT: 'unfit',
  ERROR_AUTHENTICATOR_MISSING_USER_VERIFICATION_SUPPORT: 'unfit',
  ERROR_AUTHENTICATOR_NO_SUPPORTED_PUBKEYCREDPARAMS_ALG: 'unfit',
};

/** Classifies a browser's passkey error; undefined for other errors, which carry their own message. */
export function passkeyProblem(error: unknown): PasskeyProblem | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code !== undefined && code in BY_CODE) return BY_CODE[code];
  // Browsers don't distinguish a canceled request from one that timed out. Source: WebAuthn 3 section 14.5.1.
  if (error.name === 'NotAllowedError' || error.name === 'AbortError') return 'cancelled';
  if (error.name === 'SecurityError') return 'address';
  if (error.name === 'InvalidStateError') return 'known';
  return code?.startsWith('ERROR_') || error instanceof DOMException ? 'other' : undefined;
}
