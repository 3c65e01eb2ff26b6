import type {
  ChangePasswordRequest,
  CreatedInvite,
  CreateInviteRequest,
  CreatePasskeyRequest,
  DecideDeviceRequest,
  Device,
  DeviceCode,
  Invite,
  JoinRequest,
  Member,
  Message,
  OwnAccount,
  OwnIdentities,
  Passkey,
  PasskeyOptions,
  PasskeySignInOptions,
  PasskeySignInRequest,
  Profile,
  ProviderAddress,
  Role,
  Session,
  SessionRow,
  ShownInvite,
  SignedIn,
  SignInWay,
} from '@berth/contract';
import { BerthError } from '@berth/kit';
import type { CallOptions, Transport } from './transport.ts';

/** A sign-in that answered its token; a page of the platform gets none, but a cookie. */
export type TokenSignIn = SignedIn & { readonly token: string };

/** Calls about the people of an account: where they are signed in, devices, members and invitations. */
export interface AccountCalls {
  /** The session of the client's credential, which lives a day more when it is older than an hour. @throws `unauthenticated` */
  getSession(options?: CallOptions): Promise<Session>;
  /** Where the person is signed in. @throws `forbidden` for a key, as all calls about sessions and devices. */
  listSessions(options?: CallOptions): Promise<SessionRow[]>;
  /** @throws `not_found` */
  endSession(id: string, options?: CallOptions): Promise<Message>;
  endOtherSessions(options?: CallOptions): Promise<Message>;
  /** Changes what the person is called. */
  changeProfile(name: string, options?: CallOptions): Promise<Profile>;
  /** Ends all sessions but the answered one, unless told otherwise. @throws `bad_request` for a wrong current password */
  changePassword(request: ChangePasswordRequest, options?: CallOptions): Promise<SignedIn>;
  /** The person's passkeys, the newest first. */
  listPasskeys(options?: CallOptions): Promise<Passkey[]>;
  /**
   * What to ask a browser with, to add a passkey.
   * @throws `forbidden` without the password in an older session, `invalid` for a wrong one; `conflict`, `not_available`
   */
  createPasskeyOptions(password?: string, options?: CallOptions): Promise<PasskeyOptions>;
  /** Adds what the browser made. @throws `bad_request`, `conflict` */
  createPasskey(request: CreatePasskeyRequest, options?: CallOptions): Promise<Passkey>;
  /** @throws `not_found` */
  renamePasskey(id: string, name: string, options?: CallOptions): Promise<Passkey>;
  /** @throws `not_found`, `conflict` for the only way to sign in */
  deletePasskey(id: string, options?: CallOptions): Promise<Message>;
  /** What to ask a browser with, to sign in; needs no credential. @throws `not_available` */
  createPasskeySignInOptions(options?: CallOptions): Promise<PasskeySignInOptions>;
  /** Signs in with what a passkey signed, in the browser that asked; needs no credential. @throws `unauthenticated` */
  signInWithPasskey(request: PasskeySignInRequest, options?: CallOptions): Promise<SignedIn>;
  /** Begins to sign in a device without a browser. Source: RFC 8628. */
  createDeviceCode(deviceName: string, options?: CallOptions): Promise<DeviceCode>;
  /**
   * One question whether the device is let in.
   * @throws `bad_request` when it was refused, or its code is over.
   */
  pollDevice(deviceCode: string, options?: CallOptions): Promise<TokenSignIn | 'authorization_pending' | 'slow_down'>;
  /** The device that waits with a code. @throws `not_found` */
  getDevice(userCode: string, options?: CallOptions): Promise<Device>;
  /** @throws `not_found` */
  decideDevice(request: DecideDeviceRequest, options?: CallOptions): Promise<Message>;
  /** The accounts of the person. */
  listAccounts(options?: CallOptions): Promise<OwnAccount[]>;
  listMembers(options?: CallOptions): Promise<Member[]>;
  /** @throws `forbidden`, `not_found`, `conflict` for the last owner */
  changeMember(userId: string, role: Role, options?: CallOptions): Promise<Member>;
  /** Their keys end. @throws as `changeMember` */
  removeMember(userId: string, options?: CallOptions): Promise<Message>;
  /** Leaves the account. @throws `conflict` for the last owner */
  leaveAccount(options?: CallOptions): Promise<Message>;
  listInvites(options?: CallOptions): Promise<Invite[]>;
  /** Its answer is the only one that ever holds the link. @throws `forbidden` */
  createInvite(request: CreateInviteRequest, options?: CallOptions): Promise<CreatedInvite>;
  /** @throws `not_found` */
  deleteInvite(id: string, options?: CallOptions): Promise<Message>;
  /** What an invitation is for; needs no credential. @throws `not_found` */
  showInvite(token: string, options?: CallOptions): Promise<ShownInvite>;
  /** Makes a person and has them join; needs no credential. @throws `not_found`, `forbidden`, `invalid` */
  join(request: JoinRequest, options?: CallOptions): Promise<SignedIn>;
  /** Has the person who is signed in join. @throws `not_found`, `forbidden`, `conflict` */
  acceptInvite(token: string, options?: CallOptions): Promise<OwnAccount>;
  /** The ways to sign in that the platform offers; needs no credential. */
  listSignInWays(options?: CallOptions): Promise<SignInWay[]>;
  /** Where a browser accepts an invitation by signing in with a provider. @throws `not_found`, `unavailable` */
  joinWithProvider(provider: string, token: string, options?: CallOptions): Promise<ProviderAddress>;
  /** The providers by which the person signs in. @throws `forbidden` for a key, as the two that follow */
  listIdentities(options?: CallOptions): Promise<OwnIdentities>;
  /** Where a browser makes a provider a way to sign in. @throws `not_found`, `unavailable` */
  linkIdentity(provider: string, returnTo: string, options?: CallOptions): Promise<ProviderAddress>;
  /** @throws `not_found`, `conflict` for the last way to sign in */
  unlinkIdentity(id: string, options?: CallOptions): Promise<Message>;
}

export function createAccountCalls(transport: Transport): AccountCalls {
  const get = <Answer>(path: string, { signal }: CallOptions = {}) =>
    transport.json<Answer>({ method: 'GET', path, signal });
  const post = <Answer>(path: string, body: unknown, { signal }: CallOptions = {}) =>
    transport.json<Answer>({ method: 'POST', path, body, signal });
  const remove = (path: string, name: string, id: string, { signal }: CallOptions = {}) =>
    transport.json<Message>({ method: 'DELETE', path: `${path}?${name}=${encodeURIComponent(id)}`, signal });
  return {
    getSession: (options) => get('/v1/auth/get-session', options),
    listSessions: (options) => get('/v1/user/sessions', options),
    endSession: (id, options) => remove('/v1/user/sessions', 'id', id, options),
    endOtherSessions: (options) => post('/v1/user/sessions/end-others', undefined, options),
    changeProfile: (name, options) => post('/v1/user/profile', { name }, options),
    changePassword: (request, options) => post('/v1/auth/change-password', request, options),
    listPasskeys: (options) => get('/v1/user/passkeys', options),
    createPasskeyOptions: (password, options) => post('/v1/user/passkeys/options', { password }, options),
    createPasskey: (request, options) => post('/v1/user/passkeys', request, options),
    renamePasskey: (id, name, options) => post('/v1/user/passkeys/rename', { id, name }, options),
    deletePasskey: (id, options) => remove('/v1/user/passkeys', 'id', id, options),
    createPasskeySignInOptions: (options) => post('/v1/auth/passkey/options', undefined, options),
    signInWithPasskey: (request, options) => post('/v1/auth/passkey/sign-in', request, options),
    createDeviceCode: (deviceName, options) => post('/v1/auth/device/code', { device_name: deviceName }, options),
    async pollDevice(deviceCode, options) {
      try {
        return await post<TokenSignIn>('/v1/auth/device/token', { device_code: deviceCode }, options);
      } catch (error) {
        const reason = BerthError.is(error) ? error.details['error'] : undefined;
        if (reason === 'authorization_pending' || reason === 'slow_down') return reason;
        throw error;
      }
    },
    getDevice: (userCode, options) => get(`/v1/user/device?user_code=${encodeURIComponent(userCode)}`, options),
    decideDevice: (request, options) => post('/v1/user/device', request, options),
    listAccounts: (options) => get('/v1/user/accounts', options),
    listMembers: (options) => get('/v1/user/members', options),
    changeMember: (userId, role, options) => post('/v1/user/members', { user_id: userId, role }, options),
    removeMember: (userId, options) => remove('/v1/user/members', 'user_id', userId, options),
    leaveAccount: (options) => post('/v1/user/leave', undefined, options),
    listInvites: (options) => get('/v1/user/invites', options),
    createInvite: (request, options) => post('/v1/user/invites', request, options),
    deleteInvite: (id, options) => remove('/v1/user/invites', 'id', id, options),
    showInvite: (token, options) => post('/v1/auth/invites/show', { token }, options),
    join: (request, options) => post('/v1/auth/invites/accept', request, options),
    acceptInvite: (token, options) => post('/v1/user/invites/accept', { token }, options),
    listSignInWays: (options) => get('/v1/auth/providers', options),
    joinWithProvider: (provider, token, options) => post('/v1/auth/oidc/join', { provider, token }, options),
    listIdentities: (options) => get('/v1/user/identities', options),
    linkIdentity: (provider, returnTo, options) =>
      post('/v1/user/identities', { provider, return_to: returnTo }, options),
    unlinkIdentity: (id, options) => remove('/v1/user/identities', 'id', id, options),
  };
}
