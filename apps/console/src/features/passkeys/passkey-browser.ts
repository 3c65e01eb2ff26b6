import type { CreatePasskeyRequest, PasskeyOptions, PasskeySignInOptions, PasskeySignInRequest } from '@berth/contract';

/** What the browser does with passkeys. */
export interface PasskeyBrowser {
  /** Whether it names passkeys beside the field for the e-mail address. */
  canAutofill(): Promise<boolean>;
  /** Has one made. @throws what {@link passkeyProblem} names */
  create(options: PasskeyOptions): Promise<CreatePasskeyRequest['credential']>;
  /** Has one sign; with `isAutofill` it asks nothing and waits until one is picked. Ends any that waits. @throws as `create` */
  get(options: PasskeySignInOptions, isAutofill?: boolean): Promise<PasskeySignInRequest>;
  /** Ends what waits. */
  cancel(): void;
  /** Tells password managers which of a person's passkeys are still good, so that they offer no others. */
  tellAccepted(person: { readonly id: string; readonly credentialIds: readonly string[] }): Promise<void>;
}

/** The parts of a window that say whether passkeys can be. */
export interface PasskeyWindow {
  readonly isSecureContext: boolean;
  readonly location: { readonly hostname: string };
  readonly PublicKeyCredential?: unknown;
}

/** False in browsers that have none, without TLS, and where the platform is reached by an address instead of a name. */
export function canUsePasskeys({ isSecureContext, location, PublicKeyCredential }: PasskeyWindow): boolean {
  const isAddress = /^[\d.]+$|^\[/.test(location.hostname);
  return isSecureContext && PublicKeyCredential !== undefined && !isAddress;
}

/** Source: WebAuthn 3 section 5.1.10. */
interface Signals {
  signalAllAcceptedCredentials?(options: {
    readonly rpId: string;
    readonly userId: string;
    readonly allAcceptedCredentialIds: readonly string[];
  }): Promise<void>;
}

/** The browser that this runs in. What it needs is loaded when it is first asked for something. */
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
      // One that can't be told goes on to offer what is refused then: nothing is lost.
      await told?.catch(() => {});
    },
  };
}
