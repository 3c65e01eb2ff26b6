import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { createHostCookie } from '@berth/http';
import type { Clock } from '@berth/kit';
import { createSecretBox } from '@berth/kit/node';
import type { ApiContext } from '../http/api.ts';
import { createSecret } from '../secrets/secrets.ts';
import type { OidcSecrets } from './oidc-client.ts';
import { SignInRefusal } from './sign-in-refusal.ts';

/** The purpose of a sign-in with a provider. */
export type OidcPurpose =
  | { readonly kind: 'sign-in' }
  /** Links the provider to the person who asked, provided that the session in which they asked has not ended. */
  | { readonly kind: 'link'; readonly userId: string; readonly sessionId: string }
  /** The person joins an account by the invitation with this secret. */
  | { readonly kind: 'join'; readonly token: string };

export interface OidcFlow {
  readonly provider: string;
  /** A path on the platform, to return to afterwards. */
  readonly returnTo: string;
  readonly purpose: OidcPurpose;
}

export interface CreateOidcFlowsOptions {
  readonly clock: Clock;
  /** At least 32 random characters, the same after a restart. */
  readonly authSecret: string;
  /** Secrets of other servers or of the time before a rotation, with which a sign-in may have begun. None by default. */
  readonly otherAuthSecrets?: readonly string[];
  readonly baseUrl: string;
}

const LIFE_MS = 10 * 60 * 1_000;
const CONTEXT = ['sign-in with a provider'];

interface SealedFlow extends OidcFlow {
  readonly salt: string;
  readonly expiresAtMs: number;
}

/**
 * Creates the state of sign-ins while browsers are at a provider. Invariants:
 * 1. The server stores nothing: `state` is sealed, and valid for ten minutes.
 * 2. Only the browser that began a sign-in can finish it: nonce and code verifier are derived from its cookie, so a code that
 *    another person obtained is useless in it (RFC 9700 section 4.7). One cookie serves all tabs.
 */
export function createOidcFlows({ clock, authSecret, otherAuthSecrets = [], baseUrl }: CreateOidcFlowsOptions) {
  const createBox = (secret: string) =>
    createSecretBox(new Uint8Array(hkdfSync('sha256', secret, '', 'berth sign-in by a provider', 32)));
  const box = createBox(authSecret);
  const boxes = [box, ...otherAuthSecrets.map(createBox)];
  // Lax, because the redirect back comes from the provider's site.
  const cookie = createHostCookie({ label: 'berth_sign_in', isSecure: baseUrl.startsWith('https:'), sameSite: 'Lax' });
  const readMark = (c: ApiContext) => {
    const mark = cookie.read(c.req.raw.headers);
    return mark !== undefined && /^[\w-]{43}$/.test(mark) ? mark : undefined;
  };
  const derive = (mark: string, { salt }: SealedFlow, state: string): OidcSecrets => {
    const of = (what: string) => createHmac('sha256', mark).update(`${what} ${salt}`).digest('base64url');
    return { state, nonce: of('nonce'), verifier: of('verifier') };
  };
  return {
    begin(c: ApiContext, flow: OidcFlow): OidcSecrets {
      const mark = readMark(c) ?? createSecret();
      cookie.set(c, mark, LIFE_MS / 1_000);
      const salt = randomBytes(16).toString('base64url');
      const sealed: SealedFlow = { ...flow, salt, expiresAtMs: clock.nowMs() + LIFE_MS };
      return derive(mark, sealed, box.seal(JSON.stringify(sealed), CONTEXT));
    },
    /** @throws SignInRefusal `expired` */
    resume(c: ApiContext, state: string): { readonly flow: OidcFlow; readonly secrets: OidcSecrets } {
      const mark = readMark(c);
      if (mark === undefined) throw new SignInRefusal('expired');
      const sealed = open(state);
      if (sealed.expiresAtMs <= clock.nowMs()) throw new SignInRefusal('expired');
      return { flow: sealed, secrets: derive(mark, sealed, state) };
    },
  };

  function open(state: string): SealedFlow {
    try {
      const opener = boxes.find(({ prefix }) => state.startsWith(prefix)) ?? box;
      return JSON.parse(opener.open(state, CONTEXT)) as SealedFlow;
    } catch (cause) {
      throw new SignInRefusal('expired', cause);
    }
  }
}

/** Returns `path` if it is on the platform, else `/`. A link must not use the sign-in to redirect elsewhere. */
export function ownPath(path: string | undefined): string {
  if (path === undefined || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(path)) return '/';
  const url = new URL(path, 'http://berth.invalid');
  return url.host === 'berth.invalid' ? url.pathname + url.search + url.hash : '/';
}
