import type { ForgeKind } from '@berth/contract';

/** The headers of a request. */
export type ReadHeader = (name: string) => string | undefined;

/** The event in a request of a webhook. Hashes, numbers and names are checked; texts are the forge's. */
export type ForgeEvent =
  | {
      readonly kind: 'push';
      readonly branch: string;
      readonly sha: string;
      readonly title: string;
      /** The changed files; undefined when the request doesn't name all of them. */
      readonly files: readonly string[] | undefined;
    }
  | {
      readonly kind: 'open';
      readonly number: number;
      readonly sha: string;
      readonly title: string;
      /** The branch that it asks to change. */
      readonly base: string;
      /** True when the code comes from another repository. */
      readonly isFork: boolean;
    }
  | { readonly kind: 'close'; readonly number: number };

/** The state of a commit, as forges show it. */
export interface CommitStatus {
  readonly sha: string;
  readonly state: 'pending' | 'success' | 'failure';
  /** Tells statuses of one commit apart. */
  readonly context: string;
  /** At most 140 characters. */
  readonly description: string;
  readonly link: string;
}

/** How the requests of a forge's webhooks are read. */
export interface ForgeHooks {
  /** Compares the signature in constant time. */
  isSigned(header: ReadHeader, body: Uint8Array, secret: string): boolean;
  /** Returns undefined for what Berth doesn't act on. */
  readEvent(header: ReadHeader, body: unknown): ForgeEvent | undefined;
}

/** The API of a forge for one repository, with a token. Every method throws ForgeError. */
export interface ForgeApi {
  /** Checks that the token can read the repository. */
  check(): Promise<void>;
  /** Creates the webhook. */
  createHook(hook: {
    readonly url: string;
    readonly secret: string;
    readonly withPullRequests: boolean;
  }): Promise<void>;
  /** Removes the webhooks with this URL. */
  removeHooks(url: string): Promise<void>;
  /** Adds a public key that can read the repository. */
  addDeployKey(key: { readonly title: string; readonly key: string }): Promise<void>;
  /** Removes the deploy keys with this public key. */
  removeDeployKeys(key: string): Promise<void>;
  setStatus(status: CommitStatus): Promise<void>;
  /** Returns the files that a pull request changes; undefined when there may be more than the forge lists at once. */
  listFiles(number: number): Promise<readonly string[] | undefined>;
  /** Returns the id of the first comment whose text contains `marker`, of the first hundred. */
  findComment(number: number, marker: string): Promise<string | undefined>;
  createComment(number: number, text: string): Promise<string>;
  updateComment(number: number, id: string, text: string): Promise<void>;
}

/** Where a repository is. */
export interface RepositoryLocation {
  readonly forge: ForgeKind;
  /** The clone URL. */
  readonly url: string;
  /** The address of the API, without a slash at the end. */
  readonly apiUrl: string;
  /** Such as `me/app`. */
  readonly path: string;
}
