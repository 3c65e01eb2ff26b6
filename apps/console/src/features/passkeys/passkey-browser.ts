import type { CreatePasskeyRequest, PasskeyOptions, PasskeySignInOptions, PasskeySignInRequest } from '@berth/contract';

/** Passkey operations of the browser (WebAuthn). */
export interface PasskeyBrowser {
  /** Returns whether the browser can offer passkeys as autofill for the email field. */
  canAutofill(): Promise<boolean>;
  /** Creates a passkey. @throws an error that {@link passkeyProblem} classifies */
  create(options: PasskeyOptions): Promise<CreatePasskeyRequest['credential']>;
  /**
   * Signs a challenge with a passkey. With `isAutofill`, shows no dialog and waits until the person picks a passkey.
   * Cancels a pending request. @throws as `create`
   */
  get(options: PasskeySignInOptions, isAutofill?: boolean): Promise<PasskeySignInRequest>;
  /** Cancels the pending request. */
  cancel(): void;
  /** Tells password managers which of a person's passkeys are still valid, so that they offer no others. */
  tellAccepted(person: { readonly id: string; readonly credentialIds: readonly string[] }): Promise<void>;
}

/** The parts of a window that show whether it supports passkeys. */
export interface PasskeyWindow {
  readonly isSecureContext: boolean;
  readonly location: { readonly hostname: string };
  readonly PublicKeyCredential?: unknown;
}

/** Returns whether passkeys can be used. They need browser support, TLS, and a host name rather than an IP address. */
export function canUsePasskeys({ isSecureContext, location, PublicKeyCredential }: PasskeyWindow): boolean {
  const isAddress = /^[\d.]+$|^\[/.test(location.hostname);
  return isSecureContext && PublicKeyCredential !== undefined && !isAddress;
}

/** WebAuthn signal methods. Source: WebAuthn 3 section 5.1.10. */
interface Signals {
  signalAllAcceptedCredentials?(options: {
    readonly rpId: string;
    readonly userId: string;
    readonly allAcceptedCredentialIds: readonly string[];
  }): Promise<void>;
}

/** Returns the passkey operations of this browser. The WebAuthn library is loaded at the first use. */
export function createPasskeyBrowser(): PasskeyBrowser {
  const load = () => import('@simplewebauthn/browser');
  let stop: (() => void) | undefined;
  return {
    canAutofill: async () => (await load()).browserSupportsWebAuthnAutofill(),
    async create(options) {
      const { startRegistration } = await load();
      const optionsJSON = options as Parameters<typeof startRegistration>[0]['optionsJSON'];
      return { ...(await startRegistration({ optionsJSON })), clientExtensionResults: {} };
    },
    async get(options, isAutofill = false) {
      const { startAuthentication, WebAuthnAbortService } = await load();
      stop = () => WebAuthnAbortService.cancelCeremony();
      const answer = await startAuthentication({ optionsJSON: options, useBrowserAutofill: isAutofill });
      return { ...answer, clientExtensionResults: {} };
    },
    cancel: () => stop?.(),
    async tellAccepted({ id, credentialIds }) {
      const signals = globalThis.PublicKeyCredential as Signals | undefined;
      const told = signals?.signalAllAcceptedCredentials?.({
        rpId: location.hostname,
        userId: btoa(id).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
        allAcceptedCredentialIds: credentialIds,
      });
      // A password manager that misses the signal only keeps offering a passkey that the server refuses.
      await told?.catch(() => {});
    },
  };
}
