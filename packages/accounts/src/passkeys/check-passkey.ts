import type { CreatePasskeyRequest, PasskeySignInRequest } from '@berth/contract';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { RelyingParty } from './relying-party.ts';

/** The client data that the authenticator signed. Source: WebAuthn 3 section 5.8.1. */
interface ClientData {
  readonly challenge: string;
  readonly crossOrigin?: boolean;
}

/** The public key of a new passkey. */
export interface NewPasskey {
  /** Base64url. */
  readonly credentialId: string;
  /** A COSE key in base64url. */
  readonly publicKey: string;
  readonly counter: number;
  readonly isSynced: boolean;
  /** The AAGUID, which identifies the authenticator's model. */
  readonly aaguid: string;
}

/** The state of a passkey, from a valid signature. */
export interface PasskeyUse {
  readonly counter: number;
  readonly isSynced: boolean;
}

/**
 * Returns the challenge in a browser's answer, before anything is verified.
 * @throws when there is none.
 */
export function readChallenge(clientDataJSON: string): string {
  const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as ClientData;
  if (typeof challenge !== 'string') throw new Error('the client data has no challenge');
  return challenge;
}

/** Verifies a new passkey. @throws unless it was created for this relying party and `challenge`, with user verification. */
export async function checkNewPasskey(
  credential: CreatePasskeyRequest['credential'],
  challenge: string,
  party: RelyingParty,
): Promise<NewPasskey> {
  requireOwnFrame(credential.response.clientDataJSON);
  const { verifyRegistrationResponse } = await loadLibrary();
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: credential as unknown as RegistrationResponseJSON,
    ...expectations(challenge, party),
  });
  if (!verified) throw new Error('the attestation is invalid');
  const { credential: made, credentialBackedUp, aaguid } = registrationInfo;
  return {
    credentialId: made.id,
    publicKey: Buffer.from(made.publicKey).toString('base64url'),
    counter: made.counter,
    isSynced: credentialBackedUp,
    aaguid,
  };
}

/**
 * Verifies a signature. The caller compares the counter, in the statement that writes it.
 * @throws unless this passkey signed `challenge` for this relying party, with user verification.
 */
export async function checkPasskeyUse(
  response: PasskeySignInRequest,
  passkey: { readonly credential_id: string; readonly public_key: string },
  challenge: string,
  party: RelyingParty,
): Promise<PasskeyUse> {
  requireOwnFrame(response.response.clientDataJSON);
  const { verifyAuthenticationResponse } = await loadLibrary();
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: response as unknown as AuthenticationResponseJSON,
    credential: {
      id: passkey.credential_id,
      publicKey: new Uint8Array(Buffer.from(passkey.public_key, 'base64url')),
      counter: 0,
    },
    ...expectations(challenge, party),
  });
  if (!verified) throw new Error('the signature is invalid');
  return { counter: authenticationInfo.newCounter, isSynced: authenticationInfo.credentialBackedUp };
}

/** Loads the library at first use: it takes 200 ms and 28 MB, and many platforms never see a passkey. */
const loadLibrary = () => import('@simplewebauthn/server');

const expectations = (expectedChallenge: string, { id, origins }: RelyingParty) => ({
  expectedChallenge,
  expectedRPID: id,
  expectedOrigin: [...origins],
  requireUserVerification: true,
});

/** True when another site framed the page, as the browser reports. Source: WebAuthn 3 section 7.2 step 10. */
function requireOwnFrame(clientDataJSON: string): void {
  const { crossOrigin } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as ClientData;
  if (crossOrigin === true) throw new Error('the request came from a frame of another origin');
}
